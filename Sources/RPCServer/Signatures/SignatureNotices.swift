import Auth
import DomainKit
import JSON

/// The addresses of the page on which documents are signed.
struct SignatureLinks: Sendable {
    /// The path of the pages of all links.
    static let path = "/signatures/"

    let identity: AuthService
    /// The address of the server for those who read the mails, without a slash at its end.
    let serverURL: String

    /// The address in the mail for the link with this id; nil if there is no such link any more.
    func url(ofLink id: String?) -> String? {
        id.flatMap(identity.signatureToken(forLink:)).map { serverURL + Self.path + $0 }
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
            try PlannedNotice(invitation, in: domain, for: roles),
            // The document is complete before a mail says so.
            try PlannedNotice(copy, in: domain, for: roles) { [completion] (record, context) throws(ExecutionError) in
                try await completion.complete(ofSignatory: Int64(record) ?? 0, deadline: context.deadline)
                return []
            },
            try PlannedNotice(done, in: domain, for: roles) { [completion] (record, context) throws(ExecutionError) in
                try await completion.complete(Int64(record) ?? 0, deadline: context.deadline)
                return []
            },
        ]
    }

    private static let signatorySelection =
        "{ name email signed_at signature { name status expired } }"

    /// The mail with the link. One that was cancelled or signed, or has expired, before it left has no mail.
    private var invitation: Notice {
        Notice(
            name: "signatures.invitation", entity: entities.signatories.name,
            loads: [.record(Self.signatorySelection)],
            secrets: ["kernel.signature_link", "kernel.signature_sender", "kernel.signature_deadline"],
            sent: "kernel.signature_mailed", failed: "kernel.signature_unmailed"
        ) { [links] loaded in
            let signatory = loaded[0]
            guard signatory["signed_at"]?.isNull ?? true, signatory["signature"]?["status"] == "waiting",
                signatory["signature"]?["expired"] == false,
                let url = links.url(ofLink: loaded[1].text), let to = signatory["email"]?.text
            else { return [] }
            return [
                SignatureMail(signatory, asker: loaded[2].text, deadline: loaded[3].text ?? "", url: url)
                    .invitation(to: to)
            ]
        }
    }

    /// The mail to each signatory when all have signed.
    private var copy: Notice {
        Notice(
            name: "signatures.copy", entity: entities.signatories.name,
            loads: [.record(Self.signatorySelection)], secrets: ["kernel.signature_link"]
        ) { [links] loaded in
            guard let url = links.url(ofLink: loaded[1].text), let to = loaded[0]["email"]?.text else { return [] }
            return [SignatureMail(loaded[0], asker: nil, url: url + "/document").copy(to: to)]
        }
    }

    /// The mail to the account that has asked. It has no link: the account opens the document in its program.
    private var done: Notice {
        Notice(
            name: "signatures.completion", entity: entities.signatures.name,
            loads: [.record("{ name final_sha256 signatories { name signed_name } }")],
            secrets: ["kernel.signature_asker"]
        ) { loaded in
            guard let to = loaded[1].text else { return [] }
            return [SignatureMail.done(loaded[0], to: to)]
        }
    }
}
