import Auth
import DomainKit
import JSON
import Outbox
import RPCServer

/// The access keys of accounts, which administrators create, list and revoke.
///
/// They cannot be called with a key, so that a stolen key cannot create others.
extension AccountMethods {
    var accessKeyMethods: [Method] { [createAccessKey, listAccessKeys, revokeAccessKey] }

    private var createAccessKey: Method {
        let account = MethodParameter("account_id", .reference(to: accounts), summary: "Le compte de la clé.")
        let role = MethodParameter("role", .heldRole(roleNames), summary: "Le seul rôle dans lequel elle agit.")
        let name = MethodParameter("name", .column(Self.keyName), summary: "À quoi elle sert.")
        let subject = MethodParameter(
            optional: "subject", .verified(.field(.bigint)),
            summary: "La fiche que le compte représente dans ce rôle\u{202F}; à donner s’il y en a plusieurs.")
        let expiry = MethodParameter(
            optional: "expires_at", .verified(.field(.timestamp)),
            summary: "Jusqu’à quand elle vaut\u{202F}; sans cela, jusqu’à sa révocation.")
        return Method(
            name: "auth.create_access_key",
            summary: "Crée une clé d’accès, montrée cette seule fois\u{202F}; à présenter comme un jeton d’accès.",
            rights: .roles([.admin], of: roles), parameters: [account, role, name, subject, expiry],
            result: .newAccessKey, acceptsAccessKeys: false,
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let subject = params[subject].flatMap { Int64($0) }
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    let creation = try await mapError(
                        async: await identity.createAccessKey(
                            for: Int64(params[account]) ?? 0, as: params[role], subject: subject, name: params[name],
                            expiresAt: params[expiry], by: caller.member, on: terms, deadline: call.context.deadline)
                    ) { (error: AuthError) in
                        guard case .accessKey(let error) = error else { return ExecutionError(auth: error) }
                        return .invalidValues([error.problem])
                    }
                    return .init(creation)
                }
            })
    }

    private var listAccessKeys: Method {
        let account = MethodParameter("account_id", .identifier, summary: "Le compte.")
        return Method(
            name: "auth.list_access_keys", summary: "Les clés d’accès d’un compte, sans celles qui sont révoquées.",
            rights: .roles([.admin], of: roles), parameters: [account], result: .accessKeys, acceptsAccessKeys: false
        ) { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                let member = Member(company: call.company.id, id: Int64(params[account]) ?? 0)
                let keys = try await mapError(
                    async: await identity.listAccessKeys(of: member, deadline: call.context.deadline),
                    ExecutionError.init(account:))
                guard let keys else { throw .notFound(accounts.noun) }
                return .value(["items": .array(keys.map(\.value))])
            }
        }
    }

    private var revokeAccessKey: Method {
        removal(
            "auth.revoke_access_key", summary: "Révoque une clé d’accès\u{202F}; elle ne vaut plus rien.",
            rights: .roles([.admin], of: roles), of: .identifier,
            Noun("clé d’accès", plural: "clés d’accès", feminine: true)
        ) { [identity] (id, user, terms, deadline) throws(AuthError) in
            try await identity.revokeAccessKey(Int64(id) ?? 0, by: user.member, on: terms, deadline: deadline)
        }
    }

    private static let keyName = Column("name", .text(maxLength: 100), nullable: false, summary: "Lecteur de l’entrée")

    /// The base roles, then those that accounts may have beside them; the served roles where no column lists them.
    private var roleNames: [String] {
        let granted = [accounts, accountRoles].compactMap { entity -> [String]? in
            guard case .choice(let choices)? = entity?.column(named: "role")?.type else { return nil }
            return choices.words
        }.flatMap(\.self)
        return granted.isEmpty ? roles.map(\.role.name) : granted
    }
}

// MARK: Parameters

extension ParameterType<String> {
    /// The primary key of a record that must exist, decoded to its digits.
    fileprivate static func reference(to entity: Entity) -> Self {
        let schema = Column.identifierSchema.adding("x-references", .string(entity.recordSchemaName))
            .adding("x-verified", true)
        return Self(schema: schema, example: 1) { (value) throws(ValueError) in try RecordID.text(of: value) }
    }

    /// One of `words`, of which the account must hold the role.
    fileprivate static func heldRole(_ words: [String]) -> Self { .verified(.choice(words)) }
}

// MARK: Results and problems

extension AccessKeySummary {
    fileprivate var value: JSONValue {
        [
            "id": .number(String(id)), "account_id": .number(String(account)), "role": .string(acting.role),
            "subject": acting.subject.map { .number(String($0)) } ?? .null, "name": .string(name),
            "expires_at": expiresAt.map { .string($0) } ?? .null,
            "last_used_at": lastUsedAt.map { .string($0) } ?? .null,
        ]
    }
}

extension CallResult {
    fileprivate init(_ creation: AccessKeyCreation) {
        self =
            switch creation {
            case .created(let summary, let key): .value(summary.value.adding("key", .string(key)))
            case .withoutKey(let summary): .value(summary.value.adding("key", .null))
            case .revoked(let id): .deleted(identifier: String(id))
            }
    }
}

extension AccessKeyError {
    fileprivate var problem: Problem {
        switch self {
        case .noSuchAccount: Problem(path: "/account_id", code: .notFound, message: message)
        case .inactiveAccount: Problem(path: "/account_id", code: .rule, message: message)
        case .roleNotHeld: Problem(path: "/role", code: .rule, message: message)
        case .severalSubjects: Problem(path: "/subject", code: .required, message: message)
        case .subjectNotHeld: Problem(path: "/subject", code: .rule, message: message)
        case .expired: Problem(path: "/expires_at", code: .rule, message: message)
        }
    }
}
