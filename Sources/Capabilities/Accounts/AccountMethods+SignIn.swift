import Auth
import DomainKit
import JSON
import Outbox
import RPCServer

/// Signing in and out, and the list of the caller's sign-ins.
extension AccountMethods {
    var login: Method {
        let email = MethodParameter(
            "email", .accountEmail, summary: "L’adresse du compte, sans égard à la casse.")
        let password = MethodParameter("password", .secret, summary: "Son mot de passe.")
        return Method(
            name: "auth.login", summary: "Ouvre une connexion.", rights: .anyone,
            parameters: [email, password, Self.company, Self.cookie], result: .session(accounts),
            errors: [.invalidCredentials, .rateLimited, .forbidden], check: Self.checkCookie
        ) { [self] (params, call) throws(CallError) in
            let lifetime = try cookieLifetime(params, call)
            return .work { call throws(ExecutionError) in
                try await checkPlace(of: params[Self.company], call)
                let tokens = try await mapError(
                    async: await identity.login(
                        email: params[email], password: params[password],
                        company: params[Self.company].flatMap { Int64($0) },
                        userAgent: call.context.userAgent, remoteAddress: call.context.remoteAddress,
                        deadline: call.context.deadline),
                    ExecutionError.init(account:))
                return try await session(tokens, cookie: lifetime, for: call)
            }
        }
    }

    var refresh: Method {
        Method(
            name: "auth.refresh", summary: "Échange un jeton de renouvellement contre de nouveaux jetons.",
            rights: .anyone, parameters: [Self.lastToken, Self.company], result: .session(accounts),
            errors: [.unauthenticated, .forbidden], check: Self.checkToken
        ) { [self] (params, call) throws(CallError) in
            guard let presented = try presentedToken(params, call) else {
                throw .authentication(.refused(.missing))
            }
            return .work { call throws(ExecutionError) in
                try await checkPlace(of: params[Self.company], call)
                let tokens = try await mapError(
                    async: await identity.refresh(
                        presented.token, company: params[Self.company].flatMap { Int64($0) },
                        deadline: call.context.deadline)
                ) { (error: AuthError) in
                    if case .unauthenticated = error, presented.lifetime != nil { removeCookie(for: call) }
                    return ExecutionError(account: error)
                }
                return try await session(tokens, cookie: presented.lifetime, for: call)
            }
        }
    }

    var logout: Method {
        let everywhere = MethodParameter(
            "everywhere", .flag, default: false, summary: "Mettre fin à toutes les connexions du compte.")
        return Method(
            name: "auth.logout", summary: "Met fin à une connexion.", rights: .anyone,
            parameters: [Self.lastToken, everywhere], result: .empty, errors: [.forbidden],
            check: { params, call in
                let problems = Self.checkToken(params, call)
                guard problems.isEmpty, params.valid(everywhere) == true,
                    case .some(.none) = params.valid(Self.lastToken),
                    RefreshCookie(in: call.context.cookies) == nil
                else { return problems }
                // Without a token no account is known, and an empty answer would say that its sign-ins have ended.
                return [ParameterProblem.missing("refresh_token").problem(at: "/refresh_token")]
            }
        ) { [self] (params, call) throws(CallError) in
            let presented = try presentedToken(params, call)
            return .work { call throws(ExecutionError) in
                if let presented {
                    try await mapError(
                        async: await identity.logout(
                            refreshToken: presented.token, everywhere: params[everywhere],
                            deadline: call.context.deadline), ExecutionError.init(account:))
                }
                if params[Self.lastToken] == nil { removeCookie(for: call) }
                return .value([:])
            }
        }
    }

    // MARK: The caller's sign-ins

    var listSignIns: Method {
        ownList("auth.list_sign_ins", summary: "Ses propres connexions.", result: .signIns) {
            [identity] (user, deadline) throws(AuthError) in
            try await identity.listSignIns(of: user, deadline: deadline).map(\.value)
        }
    }

    var endSignIn: Method {
        removal(
            "auth.end_sign_in", summary: "Met fin à l’une de ses connexions.", of: .uuid,
            Noun("connexion", plural: "connexions", feminine: true)
        ) { [identity] (id, user, terms, deadline) throws(AuthError) in
            try await identity.endSignIn(id, of: user, on: terms, deadline: deadline)
        }
    }
}

// MARK: The cookie of a sign-in

extension AccountMethods {
    static let cookie = MethodParameter(
        optional: "cookie", .verified(.choice(RefreshCookie.Lifetime.allCases.map(\.rawValue))),
        summary: "Remettre le jeton de renouvellement à un cookie que les scripts ne lisent pas\u{202F}: persistent le"
            + " garde tant que le jeton vaut, session jusqu’à la fermeture du navigateur. refresh_token n’est alors pas"
            + " dans la réponse.")

    fileprivate static let lastToken = MethodParameter(
        optional: "refresh_token", .secret, summary: "Le dernier reçu\u{202F}; sans lui, celui du cookie."
    ).showing(ParameterType<String>.secret.example ?? .null)

    /// A call of a batch sets no cookie.
    static func checkCookie(_ params: Params, _ call: Call) -> [Problem] {
        guard call.context.isInBatch, case .some(.some) = params.valid(cookie) else { return [] }
        return [AccountProblem.cookieInBatch.problem(at: "/cookie")]
    }

    /// A call of a batch reads no cookie.
    fileprivate static func checkToken(_ params: Params, _ call: Call) -> [Problem] {
        guard call.context.isInBatch, case .some(.none) = params.valid(lastToken) else { return [] }
        return [AccountProblem.cookieInBatch.problem(at: "/refresh_token")]
    }

    /// The lifetime of the cookie that a call asks for; nil if it asks for none.
    ///
    /// - Throws: `.forbidden` if a page of another site asks. It would sign the browser in to an account of its choice.
    func cookieLifetime(_ params: Params, _ call: Call) throws(CallError) -> RefreshCookie.Lifetime? {
        guard let lifetime = params[Self.cookie].flatMap(RefreshCookie.Lifetime.init) else { return nil }
        try checkSite(of: call)
        return lifetime
    }

    /// The refresh token of a call, with the lifetime of the cookie if it comes from there; nil if there is none.
    private func presentedToken(
        _ params: Params, _ call: Call
    ) throws(CallError) -> (token: String, lifetime: RefreshCookie.Lifetime?)? {
        if let token = params[Self.lastToken] { return (token, nil) }
        try checkSite(of: call)
        guard let cookie = RefreshCookie(in: call.context.cookies) else { return nil }
        return (cookie.token, cookie.lifetime)
    }

    private func checkSite(of call: Call) throws(CallError) {
        guard site.isForeign(call.context.http) else { return }
        throw .execution(.forbidden(message: AccountProblem.foreignSite, facts: JSONObject()))
    }

    /// The company to enter.
    static let company = MethodParameter(
        optional: "company_id", .verified(.identifier),
        summary: "La société où entrer\u{202F}; sans cela, la dernière de cette connexion, ou la première par son nom.")

    /// Sends a call on that names a company which has moved, before its token is used up here.
    private func checkPlace(of company: String?, _ call: Call) async throws(ExecutionError) {
        guard let company = company.flatMap({ Int64($0) }) else { return }
        let closure = try await mapError(
            async: await identity.closure(of: company, deadline: call.context.deadline), ExecutionError.init(account:))
        if let closure, case .moved = closure { throw .closed(closure) }
    }

    /// The result of signing in: the new tokens, the companies and the account.
    ///
    /// - Parameter lifetime: that of the cookie which keeps the refresh token; nil: the result has it.
    func session(
        _ tokens: IssuedTokens, cookie lifetime: RefreshCookie.Lifetime?, for call: Call
    ) async throws(ExecutionError) -> CallResult {
        // All of its companies have moved: another one would have been entered.
        if let closure = identity.closure(for: tokens.user), case .moved = closure { throw .closed(closure) }
        var members: JSONObject = [
            "access_token": .string(tokens.accessToken), "token_type": "Bearer",
            "expires_in": .number(String(tokens.expiresIn)),
        ]
        if let lifetime {
            // Also if the account cannot be read: the token before this one is no longer valid.
            call.context.set(
                cookie: RefreshCookie(token: tokens.refreshToken, lifetime: lifetime)
                    .header(seconds: RefreshToken.idleLifetime, isSecure: site.isSecure(call.context.http)))
        } else {
            members = JSONObject(members.members + [.init("refresh_token", .string(tokens.refreshToken))])
        }
        members = JSONObject(
            members.members
                + (try await companies(of: tokens.user, entering: tokens.user.company, by: call.context.deadline)))
        return .object(members, last: "user", try await account(tokens.user, by: call.context.deadline))
    }

    /// The company that is entered, all that the account may enter, and `operator` if it is one: no other account has this member.
    func companies(
        of user: AuthenticatedUser, entering company: Int64, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> [JSONObject.Member] {
        let found = try await mapError(
            async: await identity.companies(
                of: user.accountID, key: user.accessKeyID == nil ? nil : user.company, deadline: deadline),
            ExecutionError.init(account:))
        var members = found.members(entering: company)
        if found.isOperator { members.append(.init("operator", true)) }
        return members
    }

    private func removeCookie(for call: Call) {
        call.context.set(cookie: RefreshCookie.removal(isSecure: site.isSecure(call.context.http)))
    }
}

extension CompaniesOfAccount {
    /// The members `company` and `companies`.
    func members(entering company: Int64) -> [JSONObject.Member] {
        [
            .init("company", companies.first { $0.id == company }?.value ?? .null),
            .init("companies", .array(companies.map(\.value))),
        ]
    }
}

extension CompanyOfAccount {
    fileprivate var value: JSONValue {
        let company: JSONValue = ["id": .number(String(id)), "name": .string(name), "role": .string(role)]
        return switch closure {
        case nil: company
        case .suspended: company.adding("suspended", true)
        case .moved(let place): company.adding("suspended", true).adding("moved_to", .string(place))
        }
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
