import ArgumentParser
import Auth
import Foundation
import PostgresDriver

struct Seed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load demo data into an empty database.",
        discussion: """
            A small training organisation with sessions around today's date, and two accounts, admin@demo.learntrack.fr \
            and user@demo.learntrack.fr, both with the password \(DemoData.password). Does nothing when the database holds data.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var files: MigrationOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        let folder = try files.folder()
        try await database.withDatabase(log) { database, owner in
            try await database.migrateIfEmbedded(from: folder, owner)
            let isLoaded = try await DemoData.load(from: folder, into: owner)
            printLine(isLoaded ? "demo data loaded" : "the database holds data already: nothing loaded")
        }
    }
}

/// The demo data: a small training organisation with sessions around today's date.
enum DemoData {
    static let password = "demo-learntrack"

    /// Loads the demo data, unless the database holds data.
    ///
    /// - Parameter migrations: the folder of the migrations, which contains `demo/demo.sql`.
    /// - Returns: whether it was loaded.
    static func load(from migrations: String, into owner: PostgresClient) async throws -> Bool {
        let path = migrations + "/demo/demo.sql"
        guard let content = FileManager.default.contents(atPath: path) else {
            throw CommandError("cannot read \(path)")
        }
        let sql = String(decoding: content, as: UTF8.self)
        let before = try await sessions(owner)
        try await owner.withConnection { connection in try await connection.simpleQuery(sql) }
        return try await sessions(owner) > before
    }

    /// Whether the schema has a table of accounts.
    static func hasAccountsTable(_ owner: PostgresClient) async throws -> Bool {
        try await owner.query(schema).text(0, 0) == "true"
    }

    /// The active demo accounts that still have the public password.
    static func openAccounts(_ owner: PostgresClient) async throws -> [String] {
        let rows = try await owner.query(accounts)
        let passwords = PasswordHasher()
        var open: [String] = []
        for row in 0..<rows.count {
            guard let email = rows.text(row, 0) else { continue }
            let verification = try await passwords.verify(
                password, against: rows.text(row, 1), for: .known(account: email))
            if case .match = verification { open.append(email) }
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
