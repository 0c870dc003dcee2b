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
            let identifier = try accounts.identifier(in: params)
            return .account { call throws(ExecutionFault) in
                let answer = try await executor.run(plan, for: call)
                guard let account = Int64(identifier) else { return answer }
                do throws(IdentityError) {
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
            // Planned as asked for, so that everything wrong is told; run in two steps, since the password is kept
            // where the role that creates accounts cannot write.
            do throws(CallFailure) {
                _ = try method.plan(params.replacing("values", by: .object(others)), call)
            } catch {
                throw fault.map { error.joined(by: [$0]) } ?? error
            }
            if let fault { throw .params([fault]) }
            let creation = Object([.init("values", .object(others)), .init("select", "{ id }")])
            let plan = try method.plan(creation, call)
            let selection = params.members.filter { $0.name == "select" || $0.name == "variables" }
            return .account { call throws(ExecutionFault) in
                try await create(plan, password.text ?? "", others["email"]?.text ?? "", selection, call)
            }
        }
    }

    private func create(
        _ plan: Plan, _ password: String, _ email: String, _ selection: [Object.Member], _ call: Call
    ) async throws(ExecutionFault) -> Answer {
        let deadline = call.context.deadline
        let prepared: PreparedPassword
        do throws(IdentityError) {
            prepared = try await identity.prepare(password: password, email: email, deadline: deadline)
        } catch {
            throw ExecutionFault(error)
        }
        guard case .record(let created) = try await executor.run(plan, for: call),
            let identifier = try created.value()["id"], case .number(let digits) = identifier,
            let account = Int64(digits)
        else { throw .unexpected(cause: "a created account has no id") }
        let reading: RecordPlan
        do throws(IdentityError) {
            try await identity.store(prepared, of: account, deadline: deadline)
        } catch {
            throw .outcomeUnknown(cause: "the account exists, its password may not: \(error)")
        }
        do throws(PlanRefusal) {
            reading = try planner.get(accounts, Object([.init("id", identifier)] + selection))
        } catch {
            throw .unexpected(cause: "a created account cannot be selected: \(error)")
        }
        return try await executor.run(.record(reading, of: accounts), for: call)
    }

    private func fault(in password: Value, of values: Object) -> Problem? {
        let path = "/values/password"
        do throws(ValueFault) {
            let text = try FieldType.text(maxLength: nil).postgresText(of: password)
            return PasswordPolicy.fault(in: text, email: values["email"]?.text ?? "")?.problem(at: path)
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
