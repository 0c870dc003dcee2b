import Auth
import DomainKit
import PostgresDriver
import TextEncodings

/// The files in the database. Each belongs to the account that gave it.
struct FileStore: Sendable {
    /// Connections of the role that keeps files. Sign-ins use them too, so each request waits in the share of its caller.
    let database: PostgresClient

    struct StoredFile: Sendable {
        let id: Int64
        let account: Int64
        let mediaType: String
        let size: Int
        /// In hexadecimal digits.
        let digest: String
    }

    /// What has become of bytes that an account gives.
    enum Keeping: Sendable {
        case kept(StoredFile)
        /// The account has given too many bytes within a day.
        case tooMany
        /// Another file of the account is being kept.
        case busy
    }

    /// Keeps the bytes of a file; the same bytes of one account are one file.
    func put(
        _ bytes: [UInt8], _ kind: FileKind, of caller: Caller, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> Keeping {
        let step = Step(Self.insertion, [.text(String(caller.user.userID)), .text(kind.mediaType), .bytes(bytes)])
        do throws(PostgresError) {
            let rows = try await database.transaction([step], for: caller.share, deadline: deadline)
            return rows.first.flatMap(Self.file).map { .kept($0) } ?? .tooMany
        } catch {
            guard error.sqlState == "55P03" else { throw error }
            return .busy
        }
    }

    func file(
        _ id: Int64, for caller: Caller, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> StoredFile? {
        Self.file(
            in: try await database.query(
                Self.description, [.text(String(id))], for: caller.share, deadline: deadline))
    }

    /// Nil if the file is gone, or the database was restored without the bytes of files.
    func bytes(
        of id: Int64, for caller: Caller, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [UInt8]? {
        let rows = try await database.query(
            Self.content, [.text(String(id)), .text(String(FileService.maxBytes))], for: caller.share,
            deadline: deadline)
        return rows.count == 0 ? nil : rows.text(0, 0).flatMap { Base64URL.decode($0.utf8) }
    }

    /// The bytes in Base64 with the alphabet of addresses; nil if there are more than `maxBytes`, too.
    ///
    /// - Parameter id: digits.
    func base64(of id: String, upTo maxBytes: Int, for call: Call) async throws(PostgresError) -> String? {
        let rows = try await database.query(
            Self.content, [.text(id), .text(String(maxBytes))], for: call.caller?.share,
            deadline: call.context.deadline)
        return rows.count == 0 ? nil : rows.text(0, 0)
    }

    /// The bytes, as ``base64(of:upTo:for:)`` reads them.
    func bytes(of id: String, upTo maxBytes: Int, for call: Call) async throws(PostgresError) -> [UInt8]? {
        try await base64(of: id, upTo: maxBytes, for: call).flatMap { Base64URL.decode($0.utf8) }
    }

    /// What was drawn of a file, a PNG in Base64 with the alphabet of addresses, empty if it cannot be drawn; nil if it was not
    /// drawn yet.
    ///
    /// - Parameter id: digits.
    func picture(of id: String, for call: Call) async throws(PostgresError) -> String? {
        let rows = try await database.query(
            Self.picture, [.text(id)], for: call.caller?.share, deadline: call.context.deadline)
        return rows.count == 0 ? nil : rows.text(0, 0)
    }

    /// Keeps what was drawn of a file, unless a picture is kept or the file is gone.
    func keep(
        _ drawn: DrawnPicture, of id: String, share: Share?, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        let png: Parameter = if case .png(let bytes) = drawn { .bytes(bytes) } else { .null }
        _ = try await database.transaction(
            [Step(Self.drawing, [.text(id), png])], for: share, deadline: deadline)
    }

    /// Removes files that no record refers to and that have not been given for a day.
    func prune(atMost count: Int) async throws(PostgresError) -> Int {
        let rows = try await database.transaction(
            [Step(Self.pruning, [.text(String(count))])], deadline: .now + .seconds(10))
        return rows.first?.text(0, 0).flatMap { Int($0) } ?? 0
    }

    private static func file(in rows: Rows) -> StoredFile? {
        guard rows.count > 0, let id = rows.text(0, 0).flatMap({ Int64($0) }),
            let account = rows.text(0, 1).flatMap({ Int64($0) }), let mediaType = rows.text(0, 2),
            let size = rows.text(0, 3).flatMap({ Int($0) }), let digest = rows.text(0, 4)
        else { return nil }
        return StoredFile(id: id, account: account, mediaType: mediaType, size: size, digest: digest)
    }

    /// The bytes that Postgres has encoded as hexadecimal digits.
    static func bytes(hexadecimal digits: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.utf8.count / 2)
        var high: UInt8?
        for character in digits.utf8 {
            let digit: UInt8
            switch character {
            case 0x30...0x39: digit = character - 0x30
            case 0x61...0x66: digit = character - 0x57
            default: return nil
            }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        return bytes
    }

    private static let columns = "f.id::text, f.account_id::text, f.media_type, f.size::text, encode(f.sha256, 'hex')"
    private static let insertion = Statement(
        "SELECT \(columns) FROM kernel.file_put($1::bigint, $2::text, $3::bytea) AS f")
    private static let description = Statement("SELECT \(columns) FROM kernel.files AS f WHERE f.id = $1::bigint")
    private static let content = Statement(
        """
        SELECT translate(encode(b.bytes, 'base64'), E'+/=\\n', '-_')
        FROM kernel.files AS f JOIN kernel.file_bytes AS b ON b.file_id = f.id
        WHERE f.id = $1::bigint AND f.size <= $2::integer
        """)
    private static let picture = Statement(
        """
        SELECT translate(encode(coalesce(p.png, ''), 'base64'), E'+/=\\n', '-_')
        FROM kernel.file_pictures AS p WHERE p.file_id = $1::bigint
        """)
    private static let drawing = Statement("SELECT kernel.file_picture_keep($1::bigint, $2::bytea)")
    private static let pruning = Statement("SELECT kernel.files_prune(interval '1 day', $1::integer)::text")
}
