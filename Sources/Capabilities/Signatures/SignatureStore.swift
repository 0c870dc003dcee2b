import Documents
import DomainKit
import Outbox
import PostgresDriver
import RPCServer
import TextEncodings

/// What the database says about the link of a signatory.
struct SignatureLink: Sendable {
    /// Why a link no longer signs, or that it does.
    enum State: Sendable, Equatable {
        case open
        /// The signatory has signed.
        case used
        case cancelled
        case late
    }

    let state: State
    let signatory: String
    /// Whether a person has used its page.
    let isOpened: Bool
    /// The document, and its company.
    let company: Company
    let id: Int64
    let kind: String
    /// The name of the file.
    let name: String
    /// What the document is about; nil if only its name says it.
    let subject: String?
    let sha256: String
    /// Whether all have signed.
    let isComplete: Bool
    /// Whether the link still opens the document.
    let showsDocument: Bool
    /// Until when the link signs, and when the signatory signed: `2026-12-07T14:32` in the service's time zone.
    let deadline: String
    let signedAt: String?
}

/// The documents in the database that people sign.
struct SignatureStore: Sendable {
    /// How an attempt to sign has ended.
    enum Outcome: String, Sendable {
        /// Others have not signed yet.
        case signed
        /// It was the last signature.
        case complete
        case unknown, used, cancelled, late
    }

    /// What a signatory gives.
    struct Signature: Sendable {
        let name: String
        let consent: String
        let address: String?
        let device: String?
        /// PNG.
        let drawing: [UInt8]?
    }

    /// A document that all have signed, and that has no evidence yet.
    struct Unsealed: Sendable {
        let kind: String
        let shown: [UInt8]
        let signed: SignedDocument
    }

    /// Connections of the role that keeps secrets.
    let database: PostgresClient

    /// Nil if no link has this id.
    func link(_ id: String, deadline: ContinuousClock.Instant) async throws(ExecutionError) -> SignatureLink? {
        SignatureLink(try await query(Self.link, [.text(id)], deadline))
    }

    /// Notes that a person has used the page of the link.
    func open(
        _ link: String, requestID: String, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) {
        _ = try await write(Self.opening, [.text(link), .text(requestID)], deadline)
    }

    func sign(
        _ link: String, _ signature: Signature, requestID: String, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Outcome {
        let rows = try await write(
            Self.signing,
            [
                .text(link), .text(signature.name), .text(signature.consent),
                signature.address.map { .text($0) } ?? .null, signature.device.map { .text($0) } ?? .null,
                signature.drawing.map { .bytes($0) } ?? .null, .text(requestID),
            ], deadline)
        guard let outcome = rows.text(0, 0).flatMap(Outcome.init(rawValue:)) else {
            throw .unexpected(cause: "signing a document has an outcome that is unknown")
        }
        return outcome
    }

    /// The bytes that were shown, and those that follow them once all have signed. Nil if there is no such document.
    func document(
        _ id: Int64, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> (kind: String, bytes: [UInt8], lacksEvidence: Bool)? {
        let rows = try await query(Self.document, Self.parameters(id, company), deadline)
        guard rows.count > 0, let kind = rows.text(0, 3),
            let shown = rows.text(0, 0).flatMap(HexText.bytes)
        else { return nil }
        let addition = rows.text(0, 1).flatMap(HexText.bytes)
        return (kind, shown + (addition ?? []), rows.text(0, 2) == "signed" && addition == nil)
    }

    /// The id of the document of a signatory; nil if there is none.
    func document(
        ofSignatory id: Int64, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Int64? {
        try await query(Self.owner, Self.parameters(id, company), deadline).text(0, 0).flatMap { Int64($0) }
    }

    /// The signatures of a domain that the document of a signatory belongs to; nil if there is none.
    func kind(
        ofSignatory id: Int64, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> String? {
        try await query(Self.kind, Self.parameters(id, company), deadline).text(0, 0)
    }

    /// Nil if the document has its evidence, or not all have signed.
    func unsealed(
        _ id: Int64, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Unsealed? {
        let rows = try await query(Self.unsealed, Self.parameters(id, company), deadline)
        guard rows.count > 0, let kind = rows.text(0, 0), let name = rows.text(0, 1), let digest = rows.text(0, 2),
            let shown = rows.text(0, 3).flatMap(HexText.bytes), let method = rows.text(0, 4)
        else { return nil }
        let signed = try await query(Self.signatures, Self.parameters(id, company), deadline)
        let signatories = (0..<signed.count).map { row in
            SignedDocument.Signatory(
                name: signed.text(row, 0) ?? "", invitedName: signed.text(row, 7) ?? "",
                email: signed.text(row, 1) ?? "", capacity: signed.text(row, 8), signedAt: signed.text(row, 2) ?? "",
                consent: signed.text(row, 3) ?? "", address: signed.text(row, 4), device: signed.text(row, 5),
                drawing: signed.text(row, 6).flatMap(HexText.bytes))
        }
        return Unsealed(
            kind: kind, shown: shown,
            signed: SignedDocument(method: method, name: name, sha256: digest, signatories: signatories))
    }

    /// Keeps the end of a signed document, unless it has one.
    func seal(
        _ id: Int64, in company: Company, _ addition: [UInt8], deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) {
        _ = try await write(Self.sealing, [.text(String(id)), .bytes(addition)], in: company, deadline)
    }

    /// The step that keeps a document for which signatures are asked, in the transaction of the call.
    static func step(kind: String, method: String, params: String, _ document: Document) -> Step {
        Step(
            staging,
            [
                .text(kind), .text(method), .text(params), .text(document.name),
                document.subject.map { .text($0) } ?? .null, .bytes(document.bytes),
            ])
    }

    // MARK: Statements

    private static func parameters(_ id: Int64, _ company: Company) -> [Parameter] {
        [.text(String(id)), .text(String(company.id))]
    }

    private func query(
        _ statement: Statement, _ parameters: [Parameter], _ deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Rows {
        try await mapError(
            async: await database.query(statement, parameters, deadline: deadline), ExecutionError.init(postgres:))
    }

    /// - Parameter company: nil if the link of a signatory names it.
    private func write(
        _ statement: Statement, _ parameters: [Parameter], in company: Company? = nil,
        _ deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Rows {
        let steps = [company.map { Step(Self.acting, [.text(String($0.id))]) }, Step(statement, parameters)]
        let results = try await mapError(
            async: await database.transaction(steps.compactMap(\.self), deadline: deadline),
            ExecutionError.init(postgres:))
        guard let last = results.last else { throw .unexpected(cause: "a transaction with steps has no results") }
        return last
    }

    private static let zone = "coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'UTC')"

    private static func local(_ moment: String) -> String {
        "to_char(\(moment) AT TIME ZONE \(zone), 'YYYY-MM-DD\"T\"HH24:MI')"
    }

    private static let link = Statement(
        """
        SELECT s.name::text, (s.opened_at IS NOT NULL)::text, d.id::text, d.kind, d.name, d.sha256, d.status,
            (d.expires_at <= now())::text, coalesce(d.completed_at + interval '14 days' > now(), false)::text,
            \(local("d.expires_at")), \(local("s.signed_at")), d.subject, d.company_id::text
        FROM kernel.signature_links l JOIN kernel.signatories s ON s.company_id = l.company_id AND s.id = l.signatory_id
        JOIN kernel.signatures d ON d.company_id = l.company_id AND d.id = s.signature_id
        WHERE l.link_id = $1::uuid
        """)
    private static let opening = Statement("SELECT kernel.signature_open($1::uuid, $2::text)")
    private static let signing = Statement(
        """
        SELECT kernel.signature_sign($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::bytea, $7::text)
        """)
    private static let document = Statement(
        """
        SELECT encode(b.shown, 'hex'), encode(b.addition, 'hex'), d.status, d.kind
        FROM kernel.signatures d JOIN kernel.signature_documents b ON b.company_id = $2::bigint AND b.signature_id = d.id
        WHERE d.company_id = $2::bigint AND d.id = $1::bigint
        """)
    private static let owner = Statement(
        """
        SELECT max(s.signature_id)::text FROM kernel.signatories s WHERE s.company_id = $2::bigint AND s.id = $1::bigint
        """)
    private static let kind = Statement(
        """
        SELECT max(d.kind) FROM kernel.signatories s
        JOIN kernel.signatures d ON d.company_id = $2::bigint AND d.id = s.signature_id
        WHERE s.company_id = $2::bigint AND s.id = $1::bigint
        """)
    private static let unsealed = Statement(
        """
        SELECT d.kind, d.name, d.sha256, encode(b.shown, 'hex'), d.method
        FROM kernel.signatures d JOIN kernel.signature_documents b ON b.company_id = $2::bigint AND b.signature_id = d.id
        WHERE d.company_id = $2::bigint AND d.id = $1::bigint AND d.status = 'signed' AND b.addition IS NULL
        """)
    private static let signatures = Statement(
        """
        SELECT s.signed_name::text, s.email::text,
            to_char(at.here, 'YYYY-MM-DD"T"HH24:MI:SS') || CASE WHEN at.ahead < interval '0' THEN '-' ELSE '+' END
                || to_char(CASE WHEN at.ahead < interval '0' THEN - at.ahead ELSE at.ahead END, 'HH24:MI'),
            s.consent, s.address, s.device::text, encode(l.drawing, 'hex'), s.name::text, s.capacity
        FROM kernel.signatories s JOIN kernel.signature_links l ON l.company_id = $2::bigint AND l.signatory_id = s.id
        CROSS JOIN LATERAL (
            SELECT s.signed_at AT TIME ZONE \(zone) AS here,
                (s.signed_at AT TIME ZONE \(zone)) - (s.signed_at AT TIME ZONE 'UTC') AS ahead
        ) AS at
        WHERE s.company_id = $2::bigint AND s.signature_id = $1::bigint ORDER BY s.id
        """)
    private static let sealing = Statement("SELECT kernel.signature_complete($1::bigint, $2::bytea)")
    private static let acting = Statement("SELECT set_config('learntrack.company', $1::text, true)")
    private static let staging = Statement(
        "SELECT kernel.signature_stage($1::text, $2::text, $3::jsonb, $4::text, $5::text, $6::bytea)")
}

extension SignatureLink {
    fileprivate init?(_ rows: Rows) {
        guard rows.count > 0, let signatory = rows.text(0, 0), let id = rows.text(0, 2).flatMap({ Int64($0) }),
            let kind = rows.text(0, 3), let name = rows.text(0, 4), let digest = rows.text(0, 5),
            let status = rows.text(0, 6), let deadline = rows.text(0, 9),
            let company = rows.text(0, 12).flatMap({ Int64($0) })
        else { return nil }
        self.signatory = signatory
        isOpened = rows.text(0, 1) == "true"
        self.id = id
        self.kind = kind
        self.name = name
        sha256 = digest
        isComplete = status == "signed"
        self.deadline = deadline
        signedAt = rows.text(0, 10)
        subject = rows.text(0, 11)
        self.company = Company(id: company)
        let isLate = rows.text(0, 7) == "true"
        state =
            if status == "cancelled" {
                .cancelled
            } else if signedAt != nil {
                .used
            } else {
                isLate ? .late : .open
            }
        // Who has signed gets the signed document for some time after the last signature.
        showsDocument = status == "signed" ? rows.text(0, 8) == "true" : status == "waiting" && !isLate
    }
}
