import Auth
import DomainKit
import QueryCompiler

/// Signing in and out.
extension AccountMethods {
    var login: Method {
        Method(
            name: "auth.login", summary: "Ouvre une connexion.", rights: .anyone,
            parameters: [
                .init("email", .text, required: true, summary: "L'adresse du compte, sans égard à la casse."),
                .init("password", .secret, required: true, summary: "Son mot de passe."),
            ],
            result: .session(accounts), failures: [.invalidCredentials, .rateLimited]
        ) { [self] (params, _) throws(CallFailure) in
            var reader = ParameterReader(params)
            let email = reader.text("email")
            let password = reader.text("password")
            try reader.finish()
            return .account { call throws(ExecutionFault) in
                try await session(for: call) { () throws(AuthError) in
                    try await identity.login(
                        email: email, password: password, userAgent: call.context.userAgent,
                        remoteAddress: call.context.remoteAddress, deadline: call.context.deadline)
                }
            }
        }
    }

    var refresh: Method {
        Method(
            name: "auth.refresh", summary: "Échange un jeton de renouvellement contre de nouveaux jetons.",
            rights: .anyone,
            parameters: [.init("refresh_token", .secret, required: true, summary: "Le dernier reçu.")],
            result: .session(accounts), failures: [.unauthenticated]
        ) { [self] (params, _) throws(CallFailure) in
            var reader = ParameterReader(params)
            let token = reader.text("refresh_token")
            try reader.finish()
            return .account { call throws(ExecutionFault) in
                try await session(for: call) { () throws(AuthError) in
                    try await identity.refresh(token, deadline: call.context.deadline)
                }
            }
        }
    }

    var logout: Method {
        Method(
            name: "auth.logout", summary: "Met fin à une connexion.", rights: .anyone,
            parameters: [
                .init("refresh_token", .secret, required: true, summary: "Celui de la connexion."),
                .init("everywhere", .flag, summary: "Mettre fin à toutes les connexions du compte."),
            ],
            result: .empty
        ) { [self] (params, _) throws(CallFailure) in
            var reader = ParameterReader(params)
            let token = reader.text("refresh_token")
            let everywhere = reader.flag("everywhere")
            try reader.finish()
            return account { call throws(AuthError) in
                try await identity.logout(
                    refreshToken: token, everywhere: everywhere, deadline: call.context.deadline)
                return .value([:])
            }
        }
    }

    /// New tokens, with the account they were issued to.
    private func session(
        for call: Call, _ signIn: () async throws(AuthError) -> IssuedTokens
    ) async throws(ExecutionFault) -> Answer {
        let signedIn: IssuedTokens
        do throws(AuthError) { signedIn = try await signIn() } catch { throw ExecutionFault(error) }
        let identifier = Value.number(String(signedIn.caller.userID))
        let plan: RecordPlan
        do throws(PlanError) {
            plan = try planner.get(accounts, Object([.init("id", identifier)]))
        } catch {
            throw .unexpected(cause: "the account cannot be selected: \(error)")
        }
        let user = try await executor.record(
            plan, of: accounts.noun, on: executor.databases.accounts, by: call.context.deadline)
        let members: [Object.Member] = [
            .init("access_token", .string(signedIn.accessToken)), .init("token_type", "Bearer"),
            .init("expires_in", .number(String(signedIn.expiresIn))),
            .init("refresh_token", .string(signedIn.refreshToken)),
        ]
        return .session(Object(members), user: user)
    }
}
