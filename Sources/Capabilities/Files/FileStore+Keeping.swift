import Auth
import DomainKit
import PostgresDriver
import RPCServer

/// What accounts give, and read again.
extension FileStore {
    struct StoredFile: Sendable {
        let id: Int64
        /// Nil if the member was removed that gave it.
        let account: Int64?
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

    /// Keeps the bytes of a file; the same bytes of one account are one file of a company.
    func put(
        _ bytes: [UInt8], _ kind: FileKind, of caller: Caller, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> Keeping {
        let step = Step(Self.insertion, [.text(String(caller.user.userID)), .text(kind.mediaType), .bytes(bytes)])
        do throws(PostgresError) {
            let rows = try await database.transaction(
                [CallSettings.acting(in: caller.company), step], for: caller.share, deadline: deadline)
            return rows.last.flatMap(Self.file).map { .kept($0) } ?? .tooMany
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
                Self.description, [.text(String(id)), .text(String(caller.company.id))], for: caller.share,
                deadline: deadline))
    }

    /// Nil if the file is gone, or the database was restored without the bytes of files.
    func bytes(
        of id: Int64, for caller: Caller, deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [UInt8]? {
        try await bytes(
            of: String(id), upTo: FileService.maxBytes, in: caller.company, for: caller.share, deadline: deadline)
    }

    /// Removes files, of all companies, that no record refers to and that have not been given for a day.
    func prune(atMost count: Int) async throws(PostgresError) -> Int {
        let rows = try await database.transaction(
            [Step(Self.pruning, [.text(String(count))])], deadline: .now + .seconds(10))
        return rows.first?.text(0, 0).flatMap { Int($0) } ?? 0
    }

    private static func file(in rows: Rows) -> StoredFile? {
        guard rows.count > 0, let id = rows.text(0, 0).flatMap({ Int64($0) }),
            let mediaType = rows.text(0, 2),
            let size = rows.text(0, 3).flatMap({ Int($0) }), let digest = rows.text(0, 4)
        else { return nil }
        return StoredFile(
            id: id, account: rows.text(0, 1).flatMap { Int64($0) }, mediaType: mediaType, size: size, digest: digest)
    }

    private static let columns = "f.id::text, f.account_id::text, f.media_type, f.size::text, encode(f.sha256, 'hex')"
    private static let insertion = Statement(
        "SELECT \(columns) FROM kernel.file_put($1::bigint, $2::text, $3::bytea) AS f")
    private static let description = Statement(
        "SELECT \(columns) FROM kernel.files AS f WHERE f.company_id = $2::bigint AND f.id = $1::bigint")
    private static let pruning = Statement("SELECT kernel.files_prune(interval '1 day', $1::integer)::text")
}
