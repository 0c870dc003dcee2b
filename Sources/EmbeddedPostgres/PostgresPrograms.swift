import ChildProcesses
import FoundationEssentials
import Glibc

/// The installed Postgres programs, and the account that runs them.
struct PostgresPrograms: Sendable {
    /// The folder of `initdb` and `postgres`.
    let folder: String
    let version: Int
    let account: SystemAccount

    static let oldestVersion = 15
    /// Where Debian and Ubuntu install them, one folder a version.
    private static let packages = "/usr/lib/postgresql"

    /// - Parameter version: the major version that created the data, which no other version can read; nil: the newest.
    static func find(version: Int?, account: SystemAccount) async throws -> PostgresPrograms {
        if let version {
            let packaged = "\(packages)/\(version)/bin"
            if isComplete(packaged) { return PostgresPrograms(folder: packaged, version: version, account: account) }
        }
        var found: [Int: String] = [:]
        for folder in try await candidates() where isComplete(folder) {
            // "postgres (PostgreSQL) 15.8 (Debian …)"
            let line = try await run(folder + "/postgres", ["--version"]).output
            guard let number = line.split(whereSeparator: { !$0.isNumber }).first, let major = Int(number) else {
                continue
            }
            if found[major] == nil { found[major] = folder }
        }
        if let version {
            guard let folder = found[version] else {
                throw EmbeddedPostgresError(
                    "the data was created by Postgres \(version), which is not installed (apt install postgresql-\(version))"
                )
            }
            return PostgresPrograms(folder: folder, version: version, account: account)
        }
        guard let newest = found.keys.max(), newest >= oldestVersion, let folder = found[newest] else {
            throw EmbeddedPostgresError(
                "no Postgres \(oldestVersion) or newer is installed (apt install postgresql), and no --database-url is given"
            )
        }
        return PostgresPrograms(folder: folder, version: newest, account: account)
    }

    func run(_ program: String, _ arguments: [String], input: String = "") async throws -> ChildProcess {
        let (executable, all) = account.command(folder + "/" + program, arguments)
        return try await Self.run(executable, all, input: input)
    }

    private static func run(
        _ executable: String, _ arguments: [String], input: String = ""
    ) async throws -> ChildProcess {
        try await ChildProcess.run(executable, arguments, input: input, environment: environment)
    }

    /// The environment of the programs, without secrets and without PGHOST and similar variables, which would lead them
    /// to another server.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "TZ", "TMPDIR"].contains($0.key) }
            .merging(["LC_ALL": "C.UTF-8"]) { $1 }
    }

    private static func isComplete(_ folder: String) -> Bool {
        ["initdb", "postgres"].allSatisfy { access(folder + "/" + $0, X_OK) == 0 }
    }

    /// Where the programs may be: Debian's folders, the folders that pg_config prints, the search path.
    private static func candidates() async throws -> [String] {
        let packaged =
            FileManager.default.fileExists(atPath: packages)
            ? try FileManager.default.contentsOfDirectory(atPath: packages) : []
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        var folders = packaged.map { "\(packages)/\($0)/bin" }
        for folder in path where access(folder + "/pg_config", X_OK) == 0 {
            let answer = try await run(folder + "/pg_config", ["--bindir"])
            if answer.status == 0, let line = answer.output.split(separator: "\n").first {
                folders.append(String(line))
            }
        }
        return folders + path
    }
}

/// The system account that runs Postgres and owns its data. Postgres refuses to run as root.
struct SystemAccount: Sendable {
    /// nil: the account of this process.
    let ids: IDs?

    struct IDs: Sendable {
        let user: uid_t
        let group: gid_t
    }

    /// The account of this process, or for root the system user `postgres`.
    static func forPostgres() throws -> SystemAccount {
        guard geteuid() == 0 else { return SystemAccount(ids: nil) }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getpwnam_r("postgres", &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            throw EmbeddedPostgresError(
                "Postgres refuses root, and there is no system user postgres to run it as (apt install postgresql)")
        }
        return SystemAccount(ids: IDs(user: entry.pw_uid, group: entry.pw_gid))
    }

    /// The command that runs `executable` under this account.
    func command(_ executable: String, _ arguments: [String]) -> (String, [String]) {
        guard let ids else { return (executable, arguments) }
        let options = ["--reuid=\(ids.user)", "--regid=\(ids.group)", "--clear-groups", "--"]
        return ("setpriv", options + [executable] + arguments)
    }

    /// Makes this account the owner of `path`.
    func takeOwnership(of path: String) throws {
        guard let ids else { return }
        guard chown(path, ids.user, ids.group) == 0 else {
            throw EmbeddedPostgresError.system("cannot give \(path) to the system user postgres", errno)
        }
    }
}
