import Documents
import DomainKit
import JSON
import Outbox
import QueryCompiler
import RPCServer

/// The methods of the signatures of a domain. They cannot be called with an access key, so that a stolen key cannot send mails
/// to anyone.
struct SignatureMethods {
    /// The entities of the kernel that these methods write.
    struct Entities: Sendable {
        let signatures: Entity
        let signatories: Entity
    }

    private static let maxSignatories = 10
    private static let maxName = 150
    /// Why a link cannot be mailed.
    private static let noMail = "no_mail"

    private let signatures: Signatures
    private let entities: Entities
    private let domains: [Domain]
    private let roles: [ServedRole]
    /// Who may call every one of the documents, and read what the methods answer.
    private let grants: Grants
    private let documents: [String: DocumentMethod]
    /// The parameters that the documents have in common.
    private let params: [Column]
    private let links: DocumentLinks
    private let maker: DocumentMaker
    private let completion: SignatureCompletion
    private let sendsMail: Bool

    /// - Parameters:
    ///   - roles: the roles of the domain.
    ///   - sendsMail: whether the links have a way to leave.
    /// - Throws: if one of the documents is no method of the domain that makes a PDF.
    init(
        _ signatures: Signatures, in domain: Domain, of domains: [Domain], for roles: [ServedRole],
        _ entities: Entities, documents all: Documents, completion: SignatureCompletion, sendsMail: Bool
    ) throws(RPCService.SetupError) {
        self.signatures = signatures
        self.entities = entities
        self.domains = domains
        self.roles = roles
        links = all.links
        maker = all.maker
        self.completion = completion
        self.sendsMail = sendsMail
        var documents: [String: DocumentMethod] = [:]
        var grants = entities.signatures.access.grants(for: .read).intersection(Grants(roles.map(\.role)))
        var common: [Column]?
        for name in signatures.documents {
            guard let document = all.methods.first(where: { $0.method.name == name }),
                let own = domain.parametersOfPDF(name), case .roles(let callers) = document.method.rights
            else { throw .noDocuments(method: name) }
            guard common == nil || common == own else { throw .otherParameters(method: name) }
            common = own
            documents[name] = document
            grants = grants.intersection(Grants(callers.map(\.role)))
        }
        self.documents = documents
        params = common ?? []
        self.grants = grants
    }

    func methods() throws(RPCService.SetupError) -> [Method] {
        [try ask(), try remind(), try cancel(), download.method]
    }

    // MARK: Asking

    private func ask() throws(RPCService.SetupError) -> Method {
        let labels = signatures.labels
        let document = Column(
            labels.document,
            .json(
                .object([
                    Column(
                        labels.method, .choice(Choices(signatures.documents)), nullable: false,
                        summary: "La méthode qui produit le document."),
                    Column(labels.params, .json(.object(params)), nullable: false, summary: "Ses paramètres."),
                ])), nullable: false, summary: "Le document à signer.")
        let capacity =
            signatures.capacities.isEmpty
            ? []
            : [
                Column(
                    labels.capacity, .choice(Choices(signatures.capacities)),
                    summary:
                        "Pour qui il signe\u{202F}: une des parties du document\u{202F}; sans cela, dans l’ordre des "
                        + "signataires.")
            ]
        let signatories = Column(
            labels.signatories,
            .json(
                .list(
                    of: .object(
                        [
                            Column(labels.name, .text(maxLength: Self.maxName), nullable: false, summary: "Son nom."),
                            Column(
                                labels.email, .text(maxLength: 255), nullable: false, format: .email,
                                summary: "L’adresse qui recevra le lien."),
                        ] + capacity), count: 1...Self.maxSignatories)), nullable: false,
            summary: "Qui doit le signer\u{202F}; chacun reçoit un lien valable quatorze jours.")
        let command = Command(
            name: "\(signatures.name).\(signatures.ask)",
            summary:
                "Demande la signature d’un document\u{202F}: il est gardé tel quel, et chaque signataire reçoit un lien.",
            parameters: [document, signatories],
            parsed: [
                ParsedParameter(labels.signatories, as: .json(nil), message: Messages.signatories) { list in
                    Self.canonical(list, labels)
                }
            ],
            function: "kernel.signature_request", answers: .record(of: entities.signatures.name), roles: grants,
            rules: [
                Rule(
                    constraint: "signatures_full", columns: [labels.document], message: Messages.full,
                    effect: .conflict(reason: "full"), holds: nil),
                Rule(
                    constraint: "signatories_email", columns: [labels.signatories], message: Messages.sameAddress,
                    holds: nil),
                Self.mailRule(on: labels.signatories),
            ] + signatures.rules)
        return try mailing(command) { (params, call) throws(CallError) in
            let asked = try plan(
                params.object[labels.document] ?? .null, for: params.object[labels.signatories] ?? .null, call)
            return WriteHook(
                cost: asked.plan.cost, queries: asked.plan.loads.flatMap(\.queries),
                before: { call throws(ExecutionError) in
                    let made = try await make(asked.plan, for: call)
                    let named = Document(
                        kind: made.kind, name: ContentDisposition.fileName(made.name), bytes: made.bytes,
                        subject: made.subject)
                    return [
                        SignatureStore.step(
                            kind: signatures.name, method: asked.method,
                            params: JSONValue.object(asked.params).jsonText, named)
                    ]
                })
        }
    }

    /// Makes the document before the transaction begins, because it may wait for its turn. A record that is missing is named at
    /// its place in the params of the call.
    private func make(_ document: DocumentPlan, for call: Call) async throws(ExecutionError) -> Document {
        do throws(ExecutionError) {
            return try await maker.make(document, for: call)
        } catch {
            guard case .notFound(let noun, let facts, let path) = error else { throw error }
            throw .notFound(noun, facts: facts, path: paramsPath + (path ?? "/id"))
        }
    }

    /// A method of a command that mails links: not to be called with an access key, and refused without a mail server.
    private func mailing(
        _ command: Command,
        _ hook: @escaping @Sendable (Params, Call) throws(CallError) -> WriteHook = { _, _ in WriteHook() }
    ) throws(RPCService.SetupError) -> Method {
        try command.method(for: roles, in: domains).extended(
            by: WriteExtension(isCallOfTransactions: false) { [sendsMail] (params, _, call) throws(CallError) in
                let hook = try hook(params, call)
                guard sendsMail else {
                    throw .execution(.conflict(reason: Self.noMail, message: Messages.noMail, facts: [:]))
                }
                return hook
            })
    }

    private static func mailRule(on parameter: String) -> Rule {
        Rule(
            constraint: "signatures_mail", columns: [parameter], message: Messages.noMail,
            effect: .conflict(reason: noMail), holds: nil)
    }

    /// The plan of the document that a call names. Problems of its params are at their place in the params of the call.
    private func plan(
        _ value: JSONValue, for signatories: JSONValue, _ call: Call
    ) throws(CallError) -> (plan: DocumentPlan, method: String, params: JSONObject) {
        let labels = signatures.labels
        guard let name = value[labels.method]?.text, let document = documents[name],
            case .object(let params)? = value[labels.params]
        else { throw .execution(.unexpected(cause: "a document passed the check of its parameter")) }
        let capacities = try capacities(of: signatories, for: name)
        do throws(CallError) {
            var plan = try document.plan(params, call)
            plan.refusal = { [signatures] loaded in Self.refusal(of: name, loaded, signatures) }
            plan.subject = { [signatures] loaded in signatures.subject(name, loaded) }
            if case .drawn(let order) = plan.content {
                plan.content = .drawn { [signatures] loaded in
                    var order = order(loaded)
                    order.signing = .init(name: signatures.name, capacities: capacities)
                    return order
                }
            }
            // What fits into a link is not too long to be stored.
            _ = try links.link(to: DocumentLinks.document(name, params, for: call))
            return (plan, name, params)
        } catch {
            guard case .params(let problems) = error else { throw error }
            throw .params(problems.map { $0.prefixed(by: paramsPath) })
        }
    }

    /// For whom the signatories sign.
    ///
    /// - Throws: the problems of those who sign for nobody whom the document names.
    private func capacities(of signatories: JSONValue, for document: String) throws(CallError) -> [String?] {
        let labels = signatures.labels
        guard case .array(let elements) = signatories else { return [] }
        let capacities = elements.map { $0[labels.capacity]?.text }
        guard let own = signatures.capacitiesOfDocuments[document] else { return capacities }
        let problems: [Problem] = capacities.enumerated().compactMap { index, capacity in
            guard let capacity, !own.contains(capacity) else { return nil }
            let path = "".appendingPointer(labels.signatories).appendingPointer(String(index))
                .appendingPointer(labels.capacity)
            return Problem(path: path, code: .rule, message: Messages.otherCapacity(than: own))
        }
        guard problems.isEmpty else { throw .params(problems) }
        return capacities
    }

    private static func refusal(
        of document: String, _ loaded: [JSONValue], _ signatures: Signatures
    ) -> ExecutionError? {
        guard let refused = signatures.refusal(document, loaded) else { return nil }
        guard let rule = signatures.rules.first(where: { $0.constraint == refused.constraint }),
            case .conflict(let reason, _) = rule.effect
        else { return .unexpected(cause: "\(refused.constraint) is no rule of \(signatures.name) with a conflict") }
        return .conflict(reason: reason, message: rule.message, facts: refused.facts)
    }

    /// Where a call has the params of the document.
    private var paramsPath: String {
        "".appendingPointer(signatures.labels.document).appendingPointer(signatures.labels.params)
    }

    /// The list of the signatories with the names of members that the database knows.
    private static func canonical(_ list: JSONValue, _ labels: Signatures.Labels) -> JSONValue? {
        guard case .array(let elements) = list else { return nil }
        var named: [JSONValue] = []
        for element in elements {
            guard let name = element[labels.name]?.text, let email = element[labels.email]?.text,
                name.contains(where: { !$0.isWhitespace }), name.isPlainName
            else { return nil }
            named.append([
                "name": .string(name), "email": .string(email), "capacity": element[labels.capacity] ?? .null,
            ])
        }
        return .array(named)
    }

    // MARK: Afterwards

    private func remind() throws(RPCService.SetupError) -> Method {
        let labels = signatures.labels
        let command = Command(
            name: "\(signatures.name).\(signatures.remind)",
            summary: "Renvoie son lien à un signataire, à la même adresse ou à une autre, sans changer le délai.",
            parameters: [
                Column("id", .bigint, nullable: false, summary: "L’identifiant du document."),
                Column(
                    labels.signatory, .bigint, nullable: false, of: entities.signatories.name,
                    summary: "L’identifiant du signataire."),
                Column(
                    labels.email, .text(maxLength: 255), format: .email,
                    summary:
                        "Sa nouvelle adresse, si la première était fausse\u{202F}: l’ancien lien n’ouvre alors plus rien."
                ),
            ],
            function: "kernel.signature_remind", answers: .record(of: entities.signatures.name), roles: grants,
            rules: [
                Self.waitingRule, Self.ownerRule,
                Rule(
                    constraint: "signatories_waiting", columns: [labels.signatory], message: Messages.hasSigned,
                    effect: .conflict(reason: "signed"), holds: nil),
                Rule(
                    constraint: "signatories_reminders", columns: [labels.signatory], message: Messages.reminders,
                    effect: .conflict(reason: "reminders"), holds: nil),
                Rule(
                    constraint: "signatures_full", columns: ["id"], message: Messages.full,
                    effect: .conflict(reason: "full"), holds: nil),
                Rule(
                    constraint: "signatories_email", columns: [labels.email], message: Messages.sameAddress,
                    holds: nil),
                Self.mailRule(on: labels.signatory),
            ])
        return try mailing(command)
    }

    private static let waitingRule = Rule(
        constraint: "signatures_waiting", columns: ["id"], message: Messages.ended,
        effect: .conflict(reason: "ended"), holds: nil)
    private static let ownerRule = Rule(
        constraint: "signatures_owner", columns: ["id"], message: Messages.otherAccount,
        effect: .forbidden, holds: nil)

    private func cancel() throws(RPCService.SetupError) -> Method {
        let command = Command(
            name: "\(signatures.name).\(signatures.cancel)",
            summary: "Annule un document à signer\u{202F}: ses liens n’ouvrent plus rien.",
            parameters: [Column("id", .bigint, nullable: false, summary: "Son identifiant.")],
            function: "kernel.signature_cancel", answers: .record(of: entities.signatures.name), roles: grants,
            rules: [Self.waitingRule, Self.ownerRule])
        return try command.method(for: roles, in: domains)
    }

    var download: DocumentMethod {
        let identifier = MethodParameter("id", .recordID(of: entities.signatures), summary: "Son identifiant.")
        return DocumentMethod(
            name: "\(signatures.name).\(signatures.download)",
            summary:
                "Un lien vers le document\u{202F}: signé et avec sa page de preuve, ou tel que présenté aux signataires.",
            rights: .roles(grants, of: roles), parameters: [identifier], links: links
        ) { [entities, signatures, completion] (params, call) throws(CallError) in
            let id = params[identifier]
            let planner = try call.planner
            let record = try mapError(
                planner.record(entities.signatures, id: id, selection: "{ name kind }"), CallError.init)
            return DocumentPlan(
                kind: .pdf, loads: [.record(record, of: entities.signatures)],
                name: { loaded in loaded[0]["name"]?.text ?? "document.pdf" },
                content: .stored { deadline throws(ExecutionError) in
                    guard
                        let bytes = try await completion.document(
                            Int64(id) ?? 0, of: signatures.name, in: call.company, deadline: deadline)
                    else { throw .notFound(entities.signatures.noun) }
                    return bytes
                })
        }
    }
}

extension Domain {
    /// The parameters of a method that makes a PDF document, the `id` of its record among them; nil if there is no such method.
    fileprivate func parametersOfPDF(_ name: String) -> [Column]? {
        let method = methods.first { $0.qualifiedName == name }
        guard let method, case .document(.pdf, _, _) = method.answers else { return nil }
        let isForRecord = method.loads.contains { if case .called = $0.records { true } else { false } }
        let identifier = Column("id", .bigint, nullable: false, minimum: 1, summary: "L’identifiant.")
        return (isForRecord ? [identifier] : []) + method.parameters
    }
}
