import Auth
import DomainKit
import JSON

/// Signing in and out, and the list of the caller's sign-ins.
extension AccountMethods {
    var login: Method {
        let email = MethodParameter(
            "email", .accountEmail, summary: "L’adresse du compte, sans égard à la casse.")
        let password = MethodParameter("password", .secret, summary: "Son mot de passe.")
        return Method(
            name: "auth.login", summary: "Ouvre une connexion.", rights: .anyone, parameters: [email, password],
            result: .session(accounts), errors: [.invalidCredentials, .rateLimited]
        ) { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                let tokens = try await mapError(
                    async: await identity.login(
                        email: params[email], password: params[password], userAgent: call.context.userAgent,
                        remoteAddress: call.context.remoteAddress, deadline: call.context.deadline),
                    ExecutionError.init(auth:))
                return try await session(tokens, by: call.context.deadline)
            }
        }
    }

    var refresh: Method {
        let token = MethodParameter("refresh_token", .secret, summary: "Le dernier reçu.")
        return Method(
            name: "auth.refresh", summary: "Échange un jeton de renouvellement contre de nouveaux jetons.",
            rights: .anyone, parameters: [token], result: .session(accounts), errors: [.unauthenticated]
        ) { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                let deadline = call.context.deadline
                let tokens = try await mapError(
                    async: await identity.refresh(params[token], deadline: deadline), ExecutionError.init(auth:))
                return try await session(tokens, by: deadline)
            }
        }
    }

    var logout: Method {
        let token = MethodParameter("refresh_token", .secret, summary: "Celui de la connexion.")
        let everywhere = MethodParameter(
            "everywhere", .flag, default: false, summary: "Mettre fin à toutes les connexions du compte.")
        return Method(
            name: "auth.logout", summary: "Met fin à une connexion.", rights: .anyone,
            parameters: [token, everywhere], result: .empty
        ) { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                try await mapError(
                    async: await identity.logout(
                        refreshToken: params[token], everywhere: params[everywhere], deadline: call.context.deadline),
                    ExecutionError.init(auth:))
                return .value([:])
            }
        }
    }

    /// The result of signing in: the new tokens and the account.
    private func session(
        _ tokens: IssuedTokens, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> CallResult {
        let user = try await account(tokens.user.userID, by: deadline)
        return .session(
            [
                "access_token": .string(tokens.accessToken), "token_type": "Bearer",
                "expires_in": .number(String(tokens.expiresIn)), "refresh_token": .string(tokens.refreshToken),
            ], user: user)
    }

    // MARK: The caller's sign-ins

    var listSignIns: Method {
        Method(
            name: "auth.list_sign_ins", summary: "Ses propres connexions.", rights: .signedIn, parameters: [],
            result: .signIns, acceptsAccessKeys: false
        ) { [self] (_, call) throws(CallError) in
            let caller = try caller(of: call)
            return .work { call throws(ExecutionError) in
                let signIns = try await mapError(
                    async: await identity.listSignIns(of: caller, deadline: call.context.deadline),
                    ExecutionError.init(auth:))
                return .value(["items": .array(signIns.map(\.value))])
            }
        }
    }

    var endSignIn: Method {
        let identifier = MethodParameter("id", .uuid, summary: "Son identifiant.")
        return Method(
            name: "auth.end_sign_in", summary: "Met fin à l’une de ses connexions.", rights: .signedIn,
            parameters: [identifier], result: .empty, acceptsAccessKeys: false,
            write: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    let isEnded = try await mapError(
                        async: await identity.endSignIn(
                            params[identifier], of: caller, on: terms, deadline: call.context.deadline),
                        ExecutionError.init(auth:))
                    guard isEnded else { throw .notFound(Noun("connexion", plural: "connexions", feminine: true)) }
                    return .value([:])
                }
            })
    }
}

extension SignInSummary {
    fileprivate var value: JSONValue {
        [
            "id": .string(id), "created_at": .string(createdAt), "last_used_at": .string(lastUsedAt),
            "user_agent": userAgent.map { .string($0) } ?? .null, "current": .bool(isCurrent),
        ]
    }
}
