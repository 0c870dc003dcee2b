import ChildProcesses
import FoundationEssentials
import Glibc
import PostgresDriver

/// The client programs of a Postgres installation, for one database.
package struct PostgresTools: Sendable {
    /// The folder of `pg_dump`, `pg_restore` and `psql`.
    private let folder: String
    /// The major version of the programs.
    let version: Int
    /// The database without its password, which is in ``environment``.
    let address: String
    let environment: [String: String]

    /// Where Debian and Ubuntu install them, one folder a version.
    private static let packages = "/usr/lib/postgresql"
    private static let programs = ["pg_dump", "pg_restore", "psql"]

    /// Finds the programs for a database: those of the server's version, else the next newer ones. Older ones refuse the
    /// server.
    ///
    /// - Parameters:
    ///   - connectionString: of the database.
    ///   - version: the major version of the server.
    ///   - isPrivate: whether the database is the embedded one; variables such as PGHOST concern another server then.
    package init(for connectionString: String, version: Int, isPrivate: Bool) async throws {
        let found = try await Self.installed()
        guard let best = found.keys.filter({ $0 >= version }).min(), let folder = found[best] else {
            let others = found.keys.sorted().map { "\($0)" }.joined(separator: ", ")
            throw BackupError(
                "the server is Postgres \(version), and its client programs are not installed"
                    + (others.isEmpty ? "" : ", only those of \(others)")
                    + " (apt install postgresql-client-\(version))")
        }
        self.folder = folder
        self.version = best
        let libpq = try LibPQAddress(connectionString)
        address = libpq.string
        var environment = ProcessInfo.processInfo.environment
        if isPrivate { environment = environment.filter { !$0.key.hasPrefix("PG") } }
        if let password = libpq.password { environment["PGPASSWORD"] = password }
        self.environment = environment
    }

    /// The path of a program.
    func path(_ program: String) -> String { folder + "/" + program }

    /// Runs one of the programs and collects what it writes.
    func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess {
        try await ChildProcess.run(path(program), arguments, environment: environment)
    }

    /// Runs `psql` on the terminal of this process.
    ///
    /// - Returns: its exit status.
    package func openPsql(_ arguments: [String]) async throws -> Int32 {
        try await ForegroundProgram.run(
            path("psql"), ["--dbname=\(address)"] + arguments, environment: environment)
    }

    // MARK: Finding

    /// The folders that have all programs, by their major version.
    private static func installed() async throws -> [Int: String] {
        var found: [Int: String] = [:]
        for folder in candidates() where isComplete(folder) {
            // "pg_dump (PostgreSQL) 15.8 (Debian …)"
            let line = try await ChildProcess.run(
                folder + "/pg_dump", ["--version"], environment: ProcessInfo.processInfo.environment
            ).output
            guard let number = line.split(whereSeparator: { !$0.isNumber }).first, let major = Int(number) else {
                continue
            }
            if found[major] == nil { found[major] = folder }
        }
        return found
    }

    private static func candidates() -> [String] {
        var folders: [String] = []
        if let versions = try? FileManager.default.contentsOfDirectory(atPath: packages) {
            folders = versions.sorted().map { "\(packages)/\($0)/bin" }
        }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders + path
    }

    private static func isComplete(_ folder: String) -> Bool {
        programs.allSatisfy { access(folder + "/" + $0, X_OK) == 0 }
    }
}
