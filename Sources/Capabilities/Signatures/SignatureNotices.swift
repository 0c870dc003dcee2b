import Auth
import Documents
import DomainKit
import JSON
import Outbox
import RPCServer
import TextEncodings

/// The addresses of the page on which documents are signed.
struct SignatureLinks: Sendable {
    /// The path of the pages of all links.
    static let path = "/signatures/"

    let identity: AuthService
    /// The address of the server for those who read the mails.
    let server: ServedAddress

    /// The address in the mail for the link with this id; nil if there is no such link any more.
    func url(ofLink id: String?) -> String? {
        id.flatMap(identity.signatureToken(forLink:)).map { server.url + Self.path + $0 }
    }
}

/// The mails about documents to sign. Their rows in the outbox name a signatory or a document; the link is made when a mail is
/// phrased, and is the same at each attempt.
struct SignatureNotices {
    let entities: SignatureMethods.Entities
    let links: SignatureLinks
    let completion: SignatureCompletion

    /// - Parameters:
    ///   - domain: the domain of the entities.
    ///   - roles: its roles.
    func planned(in domain: Domain, for roles: [ServedRole]) throws(RPCService.SetupError) -> [PlannedNotice] {
        [
            try PlannedNotice(invitation, in: domain, for: roles) {
                [completion] (record, call) throws(ExecutionError) in
                let head = try await completion.letterhead(
                    ofSignatory: Int64(record) ?? 0, in: call.company, deadline: call.context.deadline)
                return [head.name.map { .string($0) } ?? .null]
            },
            // The document is complete before a mail says so.
            try PlannedNotice(copy, in: domain, for: roles) { [completion] (record, call) throws(ExecutionError) in
                let bytes = try await completion.document(
                    ofSignatory: Int64(record) ?? 0, in: call.company, deadline: call.context.deadline)
                return [Self.attached(bytes)]
            },
            try PlannedNotice(done, in: domain, for: roles) { [completion] (record, call) throws(ExecutionError) in
                let bytes = try await completion.document(
                    Int64(record) ?? 0, in: call.company, deadline: call.context.deadline)
                return [Self.attached(bytes)]
            },
        ]
    }

    /// Mail servers refuse larger mails. Who gets none opens the document through the link.
    private static let maxAttachment = 6_000_000

    /// The bytes of a document in Base64URL, as the phrase of a notice takes them; null for none.
    private static func attached(_ bytes: [UInt8]?) -> JSONValue {
        guard let bytes, bytes.count <= maxAttachment else { return .null }
        return .string(Base64URL.encode(bytes))
    }

    /// The document as the attachment of a mail.
    private static func attachments(_ loaded: JSONValue?, named name: String?) -> [Message.Attachment] {
        guard let bytes = loaded?.text.flatMap({ Base64URL.decode($0.utf8) }), let name else { return [] }
        let signed = "\(name.withoutExtension) (signé).pdf"
        return [Message.Attachment(name: signed, mediaType: DocumentKind.pdf.mediaType, bytes: bytes)]
    }

    private static let signatorySelection =
        "{ name email signed_at signature { name subject status expired } }"

    /// The mail with the link. One that was cancelled or signed, or has expired, before it left has no mail.
    private var invitation: Notice {
        Notice(
            name: "signatures.invitation", entity: entities.signatories.name,
            loads: [.record(Self.signatorySelection)],
            functions: ["kernel.signature_link", "kernel.signature_sender", "kernel.signature_deadline"],
            sent: "kernel.signature_mailed", failed: "kernel.signature_unmailed"
        ) { [links] loaded in
            let signatory = loaded[0]
            guard signatory["signed_at"]?.isNull ?? true, signatory["signature"]?["status"] == "waiting",
                signatory["signature"]?["expired"] == false,
                let url = links.url(ofLink: loaded[1].text), let to = signatory["email"]?.text
            else { return [] }
            return [
                SignatureMail(
                    signatory, asker: loaded[2].text, organisation: loaded[4].text, deadline: loaded[3].text ?? "",
                    url: url
                ).invitation(to: to)
            ]
        }
    }

    /// The mail to each signatory when all have signed.
    private var copy: Notice {
        Notice(
            name: "signatures.copy", entity: entities.signatories.name,
            loads: [.record(Self.signatorySelection)], functions: ["kernel.signature_link"]
        ) { [links] loaded in
            guard let url = links.url(ofLink: loaded[1].text), let to = loaded[0]["email"]?.text else { return [] }
            let attachments = Self.attachments(loaded[2], named: loaded[0]["signature"]?["name"]?.text)
            return [
                SignatureMail(loaded[0], asker: nil, organisation: nil, url: url + "/document")
                    .copy(to: to, attachments)
            ]
        }
    }

    /// The mail to the account that has asked, with the document. It has no link: the account opens the document in its program.
    private var done: Notice {
        Notice(
            name: "signatures.completion", entity: entities.signatures.name,
            loads: [.record("{ name subject final_sha256 signatories { name signed_name } }")],
            functions: ["kernel.signature_asker"]
        ) { loaded in
            guard let to = loaded[1].text else { return [] }
            return [
                SignatureMail.done(loaded[0], to: to, Self.attachments(loaded[2], named: loaded[0]["name"]?.text))
            ]
        }
    }
}
