import Auth
import DomainKit
import QueryCompiler

/// What writes to accounts do beyond writing a record: a new one may come with its password, and one whose role or
/// state has changed loses the tokens that say otherwise.
extension AccountMethods {
    /// `method`, derived from the accounts' entity, with what an account needs on top.
    func completed(_ method: Method) -> Method {
        switch method.name {
        case "\(accounts.name).create":
            method.planned(taking: password, failures: [.rateLimited], by: create(method))
        case "\(accounts.name).update": method.planned(by: update(method))
        default: method
        }
    }

    private var password: MethodParameter {
        .init("password", .newPassword, summary: "Le mot de passe\u{A0}; sans lui, à choisir par une réinitialisation.")
    }

    private func update(_ method: Method) -> Method.Planning {
        { [self] (params, call) throws(CallFailure) in
            let plan = try method.plan(params, call)
            guard case .write(let write) = plan, let account = write.plan.id.flatMap({ Int64($0) }) else { return plan }
            return .account { call throws(ExecutionFault) in
                let answer = try await executor.run(plan, for: call)
                do throws(AuthError) {
                    try await identity.accountChanged(account, deadline: call.context.deadline)
                } catch {
                    // The record is written; that its old tokens are refused everywhere is not certain.
                    throw .outcomeUnknown(cause: "after the change of an account: \(error)")
                }
                return answer
            }
        }
    }

    private func create(_ method: Method) -> Method.Planning {
        { [self] (params, call) throws(CallFailure) in
            guard case .object(let values) = params["values"], let password = values["password"] else {
                return try method.plan(params, call)
            }
            let others = Object(values.members.filter { $0.name != "password" })
            guard !password.isNull else {
                return try method.plan(params.replacing("values", by: .object(others)), call)
            }
            let fault = fault(in: password, of: others)
            let planned: Plan
            do throws(CallFailure) {
                planned = try method.plan(params.replacing("values", by: .object(others)), call)
            } catch {
                throw fault.map { error.joined(by: [$0]) } ?? error
            }
            if let fault { throw .params([fault]) }
            guard case .write(let write) = planned else { return planned }
            let (secret, email) = (password.text ?? "", others["email"]?.text ?? "")
            return .account { call throws(ExecutionFault) in
                // The role that creates accounts may not write secrets, but has a function for this one, in the same
                // transaction: the account is there with its password or not at all.
                var write = write
                do throws(AuthError) {
                    write.companion = try await identity.firstSecret(
                        secret, email: email, deadline: call.context.deadline)
                } catch {
                    throw ExecutionFault(error)
                }
                return try await executor.run(.write(write), for: call)
            }
        }
    }

    private func fault(in password: Value, of values: Object) -> Problem? {
        let path = "/values/password"
        do throws(ValueFault) {
            let text = try FieldType.text(maxLength: nil).postgresText(of: password)
            return PasswordPolicy.violation(in: text, email: values["email"]?.text ?? "")?.problem(at: path)
        } catch {
            return Problem(path: path, code: error.code, message: error.message)
        }
    }
}

extension Object {
    fileprivate func replacing(_ name: String, by value: Value) -> Object {
        Object(members.map { $0.name == name ? Member(name, value) : $0 })
    }
}
