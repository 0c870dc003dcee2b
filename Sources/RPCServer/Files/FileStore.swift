package import PostgresDriver
import TextEncodings

/// The files in the database, as documents read them. Each belongs to the account that gave it, and to the company in which it
/// did.
package struct FileStore: Sendable {
    /// Connections of the role that keeps files. Sign-ins use them too, so each request waits in the share of its caller.
    package let database: PostgresClient

    /// The bytes in Base64 with the alphabet of addresses; nil if there are more than `maxBytes`, too.
    ///
    /// - Parameter id: digits.
    func base64(
        of id: String, upTo maxBytes: Int, in company: Company, for share: Share?, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> String? {
        let rows = try await database.query(
            Self.content, [.text(id), .text(String(maxBytes)), .text(String(company.id))], for: share,
            deadline: deadline)
        return rows.count == 0 ? nil : rows.text(0, 0)
    }

    /// The bytes, as ``base64(of:upTo:in:for:deadline:)`` reads them.
    package func bytes(
        of id: String, upTo maxBytes: Int, in company: Company, for share: Share?, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [UInt8]? {
        try await base64(of: id, upTo: maxBytes, in: company, for: share, deadline: deadline)
            .flatMap { Base64URL.decode($0.utf8) }
    }

    /// What was drawn of a file, a PNG in Base64 with the alphabet of addresses, empty if it cannot be drawn; nil if it was not
    /// drawn yet.
    ///
    /// - Parameter id: digits.
    func picture(of id: String, for call: Call) async throws(PostgresError) -> String? {
        let rows = try await database.query(
            Self.picture, [.text(id), .text(String(call.company.id))], for: call.caller?.share,
            deadline: call.context.deadline)
        return rows.count == 0 ? nil : rows.text(0, 0)
    }

    /// Keeps what was drawn of a file, unless a picture is kept or the file is gone.
    package func keep(
        _ drawn: DrawnPicture, of id: String, in company: Company, share: Share?, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        let png: Parameter = if case .png(let bytes) = drawn { .bytes(bytes) } else { .null }
        _ = try await database.transaction(
            [CallSettings.acting(in: company), Step(Self.drawing, [.text(id), png])], for: share, deadline: deadline)
    }

    private static let content = Statement(
        """
        SELECT translate(encode(b.bytes, 'base64'), E'+/=\\n', '-_')
        FROM kernel.files AS f JOIN kernel.file_bytes AS b ON b.company_id = $3::bigint AND b.file_id = f.id
        WHERE f.company_id = $3::bigint AND f.id = $1::bigint AND f.size <= $2::integer
        """)
    private static let picture = Statement(
        """
        SELECT translate(encode(coalesce(p.png, ''), 'base64'), E'+/=\\n', '-_')
        FROM kernel.file_pictures AS p WHERE p.company_id = $2::bigint AND p.file_id = $1::bigint
        """)
    private static let drawing = Statement("SELECT kernel.file_picture_keep($1::bigint, $2::bytea)")
}
