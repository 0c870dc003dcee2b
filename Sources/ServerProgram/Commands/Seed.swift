import ArgumentParser
import Auth
import FoundationEssentials
import Migrations
import PostgresDriver

struct Seed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load demo data into an empty database.",
        discussion: """
            The accounts admin@demo.learntrack.fr and user@demo.learntrack.fr, and the demo data of each served domain, \
            which may have further accounts. All of them have the password \(DemoData.password). Adds nothing to a domain \
            that holds data.

            With --companies, a second company beside it, of which admin@demo.learntrack.fr is a member, too. The installation \
            then serves several companies, which cannot be taken back.
            """)

    @Flag(help: "Add a second company to the demo data, with a person who is a member of both.") var companies = false
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var files: MigrationOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        let sources = try files.sources()
        try await database.withDatabase(log, creating: true) { database, owner in
            try await database.migrateIfEmbedded(from: sources, owner)
            let isLoaded = try await DemoData.load(from: sources, into: owner)
            printLine(isLoaded ? "demo data loaded" : "the database holds data already: nothing loaded")
            guard companies else { return }
            try await DemoCompanies.requireDemoData(owner)
            let further = try DemoCompanies.statements(of: sources)
            try await Companies.Enable.enable(owner)
            let isAdded = try await DemoCompanies.load(further, into: owner)
            printLine(isAdded ? "second company loaded" : "the second company is there already: nothing loaded")
        }
    }
}

/// The demo data: the files of the folders `demo` of the kernel and the served domains.
enum DemoData {
    static let password = "demo-learntrack"

    /// Loads the demo data. Each file adds nothing to a domain that holds data. Of several companies none is meant, and none gets any.
    ///
    /// - Returns: whether any was loaded.
    static func load(from migrations: [MigrationSource], into owner: PostgresClient) async throws -> Bool {
        guard try await servesOneCompany(owner) else { return false }
        let before = try await lastEntry(owner)
        for source in try MigrationSource.ordered(migrations) {
            for path in try files(of: source) {
                let sql = try content(of: path)
                try await owner.withConnection { connection in try await connection.simpleQuery(sql) }
            }
        }
        return try await lastEntry(owner) > before
    }

    /// A schema of before has one company, too.
    private static func servesOneCompany(_ owner: PostgresClient) async throws -> Bool {
        guard try await owner.query(installation).text(0, 0) == "true" else { return true }
        return try await CompanyAdministration(database: owner).stage() == .one
    }

    /// A domain need not have demo data.
    private static func files(of source: MigrationSource) throws -> [String] {
        let further = "\(source.folder)/\(DemoCompanies.folder)/"
        return try files(in: source.folder + "/demo").filter { !$0.hasPrefix(further) }
    }

    /// The SQL files of a folder, which need not be there.
    fileprivate static func files(in folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return names.filter { $0.hasSuffix(".sql") }.sorted().map { "\(folder)/\($0)" }
    }

    fileprivate static func content(of path: String) throws -> String {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw CommandError("cannot read \(path)")
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Whether the schema has a table of accounts.
    static func hasAccountsTable(_ owner: PostgresClient) async throws -> Bool {
        try await owner.query(schema).text(0, 0) == "true"
    }

    /// The active accounts of the demo data, of all domains, that still have the public password.
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

    fileprivate static func lastEntry(_ owner: PostgresClient) async throws -> Int {
        try await owner.query(last).text(0, 0).flatMap { Int($0) } ?? 0
    }

    private static let schema = Statement("SELECT (to_regclass('public.credentials') IS NOT NULL)::text")
    private static let installation = Statement("SELECT (to_regclass('kernel.installation') IS NOT NULL)::text")
    private static let last = Statement("SELECT max(id)::text FROM public.journal")
    private static let accounts = Statement(
        """
        SELECT a.email, a.password_hash FROM (
            SELECT DISTINCT u.email::text AS email, c.password_hash
            FROM public.users u JOIN public.credentials c ON c.user_id = u.account_id
            WHERE u.is_active AND lower(u.email) LIKE '%@demo.learntrack.fr') a
        ORDER BY lower(a.email)
        """)
}

/// The second company of the demo data: the files of the folders `demo/companies` of the kernel and the served domains. The first of them,
/// the kernel's, makes the company and acts in it; all are one transaction.
enum DemoCompanies {
    fileprivate static let folder = "demo/companies"
    private static let administrator = "admin@demo.learntrack.fr"

    /// Throws unless the database has the demo data: in another one the accounts with a public password would let anybody in.
    static func requireDemoData(_ owner: PostgresClient) async throws {
        guard try await DemoData.openAccounts(owner).contains(administrator) else {
            throw CommandError(
                "--companies adds a second company to the demo data, which this database does not have: no account "
                    + "\(administrator) has its password")
        }
    }

    /// The statements of the second company.
    static func statements(of migrations: [MigrationSource]) throws -> String {
        var statements: [String] = []
        for source in try MigrationSource.ordered(migrations) {
            for path in try DemoData.files(in: "\(source.folder)/\(folder)") {
                statements.append(try DemoData.content(of: path))
            }
        }
        guard !statements.isEmpty else {
            throw CommandError(
                "the folder of the migrations has no \(folder): give that of this version with --migrations")
        }
        return statements.joined(separator: "\n")
    }

    /// Loads the second company into an installation that serves several. Each file adds nothing where data is.
    ///
    /// - Returns: whether any was loaded.
    static func load(_ statements: String, into owner: PostgresClient) async throws -> Bool {
        let before = try await DemoData.lastEntry(owner)
        // The statements of one simple query are one transaction, which keeps the company that the first file has set.
        try await owner.withConnection { connection in try await connection.simpleQuery(statements) }
        return try await DemoData.lastEntry(owner) > before
    }
}
