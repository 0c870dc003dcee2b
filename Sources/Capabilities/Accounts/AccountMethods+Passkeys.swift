import Auth
import DomainKit
import JSON
import RPCServer
import TextEncodings

/// The passkeys of accounts: what browsers need for them, adding and removing them, and signing in with them.
///
/// An access key adds and removes none, so that a stolen one opens no other way into the account.
extension AccountMethods {
    var passkeyMethods: [Method] { [passkeyOptions, loginWithPasskey, addPasskey, listPasskeys, removePasskey] }

    private var passkeyOptions: Method {
        Method(
            name: "auth.passkey_options",
            summary:
                "Ce que le navigateur demande à une clé d’accès\u{202F}: d’être créée pour le compte qui appelle ou,"
                + " sans jeton d’accès, d’ouvrir une connexion.",
            rights: .anyoneOrSignedIn, parameters: [], result: .passkeyOptions, servesSuspended: true
        ) { [self] (_, call) throws(CallError) in
            let party = site.relyingParty(for: call.context.http)
            // An access key gets what a caller without an account gets: it can add no passkey.
            guard let user = call.caller?.user, user.accessKeyID == nil else {
                return .work { _ throws(ExecutionError) in
                    .value(["create": .null, "get": party.signIn(identity.passkeySignInChallenge())])
                }
            }
            return .work { call throws(ExecutionError) in
                let creation = try await mapError(
                    async: await identity.passkeyCreation(for: user, deadline: call.context.deadline),
                    ExecutionError.init(account:))
                guard let creation else { throw .unauthenticated(.revoked) }
                return .value([
                    "create": party.creation(creation.challenge, of: creation.user, by: serviceName), "get": .null,
                ])
            }
        }
    }

    private var loginWithPasskey: Method {
        Method(
            name: "auth.login_with_passkey", summary: "Ouvre une connexion avec une clé d’accès.", rights: .anyone,
            parameters: [PasskeyParameters.signed, Self.company, Self.cookie], result: .session(accounts),
            errors: [.invalidCredentials, .rateLimited, .forbidden], check: Self.checkCookie
        ) { [self] (params, call) throws(CallError) in
            let lifetime = try cookieLifetime(params, call)
            return .work { call throws(ExecutionError) in
                let tokens = try await mapError(
                    async: await identity.login(
                        passkey: params[PasskeyParameters.signed], at: site.relyingParty(for: call.context.http),
                        company: params[Self.company].flatMap { Int64($0) }, userAgent: call.context.userAgent,
                        remoteAddress: call.context.remoteAddress, deadline: call.context.deadline)
                ) { (error: AuthError) -> ExecutionError in
                    if case .invalidCredentials = error { .invalidPasskey } else { ExecutionError(account: error) }
                }
                return try await session(tokens, cookie: lifetime, for: call)
            }
        }
    }

    private var addPasskey: Method {
        let name = MethodParameter("name", .column(Self.passkeyName), summary: "Sous quel nom la retrouver.")
        return Method(
            name: "auth.add_passkey", summary: "Ajoute une clé d’accès au compte qui appelle.", rights: .signedIn,
            parameters: [name, PasskeyParameters.new], result: .passkey, acceptsAccessKeys: false,
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                let party = site.relyingParty(for: call.context.http)
                return .work { call throws(ExecutionError) in
                    let addition = try await mapError(
                        async: await identity.addPasskey(
                            params[PasskeyParameters.new], named: params[name], to: caller, at: party, on: terms,
                            deadline: call.context.deadline)
                    ) { (error: AuthError) -> ExecutionError in
                        if case .passkey(let error) = error { error.refusal } else { ExecutionError(auth: error) }
                    }
                    return switch addition {
                    case .added(let summary): .value(summary.value)
                    case .removed(let id): .deleted(identifier: String(id))
                    }
                }
            })
    }

    private var listPasskeys: Method {
        ownList(
            "auth.list_passkeys", summary: "Ses propres clés d’accès, la plus récente d’abord.", result: .passkeys
        ) { [identity] (user, deadline) throws(AuthError) in
            try await identity.listPasskeys(of: user, deadline: deadline).map(\.value)
        }
    }

    private var removePasskey: Method {
        removal(
            "auth.remove_passkey",
            summary: "Retire l’une de ses clés d’accès\u{202F}; elle n’ouvre plus de connexion.", of: .identifier,
            Noun("clé d’accès", plural: "clés d’accès", feminine: true)
        ) { [identity] (id, user, terms, deadline) throws(AuthError) in
            try await identity.removePasskey(Int64(id) ?? 0, of: user, on: terms, deadline: deadline)
        }
    }

    private static let passkeyName = Column(
        "name", .text(maxLength: 100), nullable: false, summary: "Téléphone de Claire")
}

// MARK: What browsers are given

extension RelyingParty {
    private static let timeout = JSONValue.integer(AuthService.passkeyChallengeLifetime * 1_000)

    /// The options of `navigator.credentials.get`, without a list of passkeys: the authenticator knows those of this site.
    fileprivate func signIn(_ challenge: String) -> JSONValue {
        [
            "challenge": .string(challenge), "timeout": Self.timeout, "rpId": .string(id), "allowCredentials": [],
            "userVerification": "required",
        ]
    }

    /// The options of `navigator.credentials.create`, for a passkey that the authenticator finds by itself.
    fileprivate func creation(_ challenge: String, of user: PasskeyUser, by name: String) -> JSONValue {
        let known = user.known.map { passkey -> JSONValue in
            [
                "type": "public-key", "id": .string(Base64URL.encode(passkey.id)),
                "transports": .array(passkey.transports.map { .string($0) }),
            ]
        }
        return [
            "rp": ["id": .string(id), "name": .string(name)],
            "user": [
                "id": .string(Base64URL.encode(user.handle)), "name": .string(user.email),
                "displayName": .string(user.displayName),
            ],
            "challenge": .string(challenge), "pubKeyCredParams": [["type": "public-key", "alg": -7]],
            "timeout": Self.timeout, "excludeCredentials": .array(known),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ],
            "attestation": "none",
        ]
    }
}

extension PasskeySummary {
    fileprivate var value: JSONValue {
        [
            "id": .number(String(id)), "name": .string(name), "created_at": .string(createdAt),
            "last_used_at": lastUsedAt.map { .string($0) } ?? .null,
        ]
    }
}

extension PasskeyError {
    /// The error of a call that adds a passkey.
    fileprivate var refusal: ExecutionError {
        switch self {
        case .full: .conflict(reason: "full", message: message, facts: ["max": 20])
        case .account: .unauthenticated(.revoked)
        case .known: .notUnique(Problem(path: "/credential/id", code: .duplicate, message: message))
        case .challenge, .site:
            .invalidValues([Problem(path: "/credential/response/clientDataJSON", code: .rule, message: message)])
        case .malformed, .algorithm, .unverified, .signature:
            .invalidValues([Problem(path: "/credential/response/attestationObject", code: .rule, message: message)])
        }
    }
}
