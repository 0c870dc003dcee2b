import Auth
import Foundation
import PostgresDriver

/// A small training organisation around today's date, to look at and to try things on.
enum DemoData {
    static let password = "demo-learntrack"

    /// Loads it, unless the database holds something already.
    ///
    /// - Parameter migrations: the folder of the migrations, in which `demo/demo.sql` lies.
    /// - Returns: whether it was loaded.
    static func load(from migrations: String, into owner: PostgresClient) async throws -> Bool {
        let path = migrations + "/demo/demo.sql"
        guard let content = FileManager.default.contents(atPath: path) else { throw Failure("cannot read \(path)") }
        let sql = String(decoding: content, as: UTF8.self)
        let before = try await sessions(owner)
        try await owner.withConnection { connection in try await connection.simpleQuery(sql) }
        return try await sessions(owner) > before
    }

    /// Whether there are accounts at all, which takes a schema.
    static func hasAccounts(_ owner: PostgresClient) async throws -> Bool {
        try await owner.query(schema).text(0, 0) == "true"
    }

    /// The demo accounts that still open with the password everyone knows.
    static func openAccounts(_ owner: PostgresClient) async throws -> [String] {
        let rows = try await owner.query(accounts)
        let passwords = PasswordHasher()
        var open: [String] = []
        for row in 0..<rows.count {
            guard let email = rows.text(row, 0) else { continue }
            if case .right = try await passwords.check(password, against: rows.text(row, 1)) { open.append(email) }
        }
        return open
    }

    private static func sessions(_ owner: PostgresClient) async throws -> Int {
        try await owner.query(count).text(0, 0).flatMap { Int($0) } ?? 0
    }

    private static let schema = Statement("SELECT (to_regclass('public.credentials') IS NOT NULL)::text")
    private static let count = Statement("SELECT count(*)::text FROM public.sessions")
    private static let accounts = Statement(
        """
        SELECT u.email::text, c.password_hash FROM public.users u JOIN public.credentials c ON c.user_id = u.id
        WHERE u.is_active AND lower(u.email) IN ('admin@demo.learntrack.fr', 'user@demo.learntrack.fr')
        """)
}
