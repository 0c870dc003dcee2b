import Auth
import DomainKit
import JSON
import QueryCompiler
import RPCServer

/// The methods of the subscriptions to a document. They cannot be called with an access key, so that a stolen key cannot
/// create further access.
struct SubscriptionMethods {
    let subscriptions: Subscriptions
    /// The method that makes the document.
    let document: DocumentMethod
    let links: DocumentLinks
    let executor: Executor

    var methods: [Method] { [subscribe, list, delete] }

    private var method: Method { document.method }

    private var subscribe: Method {
        let label = MethodParameter(
            optional: subscriptions.label,
            .column(Column(subscriptions.label, .text(maxLength: 100), nullable: false, summary: "Mon agenda")),
            summary: "À quoi il sert.")
        return Method(
            name: "\(subscriptions.name).\(subscriptions.subscribe)",
            summary: "Crée un \(subscriptions.noun.singular)\u{202F}: un lien sans fin, montré cette seule fois.",
            rights: method.rights, parameters: method.parameters + [label], result: .newSubscription,
            errors: method.errors, rules: method.rules, acceptsAccessKeys: false,
            check: { [method] params, call in method.violations(in: params, call) },
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let others = [label.name] + WriteParameters.parameters.map(\.name)
                let own = JSONObject(params.object.members.filter { !others.contains($0.name) })
                let plan = try document.plan(own, call)
                let linked = try DocumentLinks.document(method.name, own, for: call)
                // What fits into a link is not too long to be stored.
                _ = try links.link(to: linked)
                let name = params[label]
                return .work(cost: plan.cost) { call throws(ExecutionError) in
                    let loaded = try await executor.load(plan.loadsForName, for: call)
                    let subscription = try await mapError(
                        async: await links.identity.subscribe(
                            to: linked, kind: subscriptions.name, named: name, on: terms,
                            deadline: call.context.deadline),
                        ExecutionError.init(subscription:))
                    return result(of: subscription, ContentDisposition.fileName(plan.name(loaded)), plan.kind)
                }
            })
    }

    private func result(of creation: SubscriptionCreation, _ name: String, _ kind: DocumentKind) -> CallResult {
        let (id, token): (Int64, String?)
        switch creation {
        case .created(let created, let text): (id, token) = (created, text)
        case .withoutLink(let created): (id, token) = (created, nil)
        case .ended(let id): return .deleted(identifier: String(id))
        }
        let link = DocumentLink(url: links.url(token ?? ""), expiresAt: nil)
        guard case .object(let members) = link.value(name: name, kind) else { return .value([:]) }
        let shown = members.members.map { $0.name == "url" && token == nil ? .init("url", .null) : $0 }
        return .value(.object(JSONObject([.init("id", .number(String(id)))] + shown)))
    }

    private var list: Method {
        Method(
            name: "\(subscriptions.name).list",
            summary: "Ses \(subscriptions.noun.plural), sans leurs liens\u{202F}; tous, pour un administrateur.",
            rights: method.rights, parameters: [], result: .subscriptions(label: subscriptions.label),
            acceptsAccessKeys: false
        ) { [self] (_, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                let (caller, owner) = try Self.caller(of: call)
                let found = try await mapError(
                    async: await links.identity.listSubscriptions(
                        kind: subscriptions.name, of: owner, in: caller.company, deadline: call.context.deadline),
                    ExecutionError.init(subscription:))
                return .value(["items": .array(found.map { $0.value(label: subscriptions.label) })])
            }
        }
    }

    private var delete: Method {
        let identifier = MethodParameter("id", .identifier, summary: "Son identifiant.")
        return Method(
            name: "\(subscriptions.name).delete",
            summary: "Met fin à un \(subscriptions.noun.singular)\u{202F}; son lien n’ouvre plus rien.",
            rights: method.rights, parameters: [identifier], result: .deletion, acceptsAccessKeys: false,
            writeInOtherRole: { [self] (params, _, terms) throws(CallError) in
                let id = params[identifier]
                return .work { call throws(ExecutionError) in
                    let (caller, owner) = try Self.caller(of: call)
                    let isDeleted = try await mapError(
                        async: await links.identity.deleteSubscription(
                            Int64(id) ?? 0, kind: subscriptions.name, of: owner, by: caller.member,
                            on: terms, deadline: call.context.deadline), ExecutionError.init(subscription:))
                    guard isDeleted else { throw .notFound(subscriptions.noun) }
                    return .value(["id": .number(id), "deleted": true])
                }
            })
    }

    /// The caller, and the member whose subscriptions it reaches; nil for an administrator, who reaches those of the company.
    private static func caller(
        of call: Call
    ) throws(ExecutionError) -> (user: AuthenticatedUser, owner: Int64?) {
        guard let user = call.caller?.user else { throw .unauthenticated(.missing) }
        return (user, user.role == Role.admin.name ? nil : user.userID)
    }
}

extension SubscriptionSummary {
    fileprivate func value(label: String) -> JSONValue {
        .object(
            JSONObject([
                .init("id", .number(String(id))), .init("account_id", .number(String(account))),
                .init("role", .string(acting.role)),
                .init("subject", acting.subject.map { .number(String($0)) } ?? .null),
                .init(label, name.map { .string($0) } ?? .null), .init("params", .object(params)),
                .init("created_at", .string(createdAt)),
                .init("last_used_at", lastUsedAt.map { .string($0) } ?? .null),
            ]))
    }
}

extension ExecutionError {
    fileprivate init(subscription error: AuthError) {
        guard case .tooManySubscriptions = error else {
            self.init(auth: error)
            return
        }
        self = .conflict(
            reason: "full", message: "Supprimez d’abord un abonnement\u{202F}: un compte en a cent au plus.",
            facts: ["max": 100])
    }
}
