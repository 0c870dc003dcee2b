import Auth
import DomainKit
import PostgresDriver
import QueryCompiler

extension AccountMethods {
    /// The way into a database that holds no administrator yet.
    var createFirstAdmin: Method {
        let (address, name) = (accounts.knownColumn("email"), accounts.knownColumn("username"))
        return Method(
            name: "auth.create_first_admin",
            summary: "Crée le premier administrateur, avec le jeton affiché au démarrage tant qu'il n'y en a aucun.",
            rights: .anyone,
            parameters: [
                .init("token", .secret, required: true, summary: "Le jeton\u{A0}: il sert une fois."),
                .init("email", .column(address), required: true, summary: "L'adresse du compte."),
                .init("password", .newPassword, required: true, summary: "Son mot de passe."),
                .init("username", .column(name), summary: "Son nom."),
            ],
            result: .record(accounts), failures: [.rateLimited, .conflict, .outcomeUnknown]
        ) { [self] (params, _) throws(CallFailure) in
            var reader = ParameterReader(params)
            let token = reader.text("token")
            let email = reader.text("email", as: address)
            let password = reader.text("password")
            let username = params["username"]?.isNull ?? true ? nil : reader.text("username", as: name)
            if !reader.problems.contains(where: { $0.path == "/password" }),
                let fault = PasswordPolicy.violation(in: password, email: email)
            {
                reader.add(fault.problem(at: "/password"))
            }
            try reader.finish()
            return .account { call throws(ExecutionFault) in
                try await createFirstAdmin(token, email, username, password, call)
            }
        }
    }

    private func createFirstAdmin(
        _ token: String, _ email: String, _ username: String?, _ password: String, _ call: Call
    ) async throws(ExecutionFault) -> Answer {
        let deadline = call.context.deadline
        let identifier: Int64?
        do throws(AuthError) {
            identifier = try await identity.createFirstAdmin(
                token: token, email: email, username: username, password: password, deadline: deadline)
        } catch .emailTaken {
            let message = "Donnez une autre adresse\u{A0}: celle-ci est déjà prise."
            throw .notUnique(Problem(path: "/email", code: .duplicate, message: message))
        } catch .database(let error) {
            let given = Object([
                .init("email", .string(email)), .init("username", username.map { .string($0) } ?? .null),
            ])
            let constraint = error.server?.constraint
            let problem = constraint.flatMap { accounts.problem(forConstraint: $0, given: given, at: "") }
            throw problem.map { .invalidValues([$0]) } ?? ExecutionFault(error)
        } catch {
            throw ExecutionFault(error)
        }
        guard let identifier else {
            let message = "Donnez le jeton affiché au dernier démarrage\u{A0}: celui-ci n'est pas ou plus valable."
            throw .invalidValues([Problem(path: "/token", code: .rule, message: message)])
        }
        let plan: RecordPlan
        do throws(PlanError) {
            plan = try planner.get(accounts, Object([.init("id", .number(String(identifier)))]))
        } catch {
            throw .unexpected(cause: "the account cannot be selected: \(error)")
        }
        return .record(
            try await executor.record(plan, of: accounts.noun, on: executor.databases.accounts, by: deadline))
    }
}

extension Entity {
    /// A column that accounts have in every domain.
    fileprivate func knownColumn(_ name: String) -> Column {
        guard let column = column(named: name) else { preconditionFailure("accounts have no \(name)") }
        return column
    }
}
