import ChildProcesses
import Foundation
import Glibc
import TestSupport

/// The installed Postgres programs, and how to run them: Postgres refuses root, so root runs them as `postgres`.
struct Installation: Sendable {
    let binaries: String
    /// The account that runs them; nil is the present one.
    let account: Account?

    struct Account: Sendable {
        let user: uid_t
        let group: gid_t
    }

    static func find() throws -> Installation {
        try Installation(binaries: newestBinaries(), account: postgresAccount())
    }

    func run(_ program: String, _ arguments: [String], input: String = "") async throws -> ChildProcess {
        let (executable, all) = command(binaries + "/" + program, arguments)
        return try await ChildProcess.run(executable, all, input: input, environment: Self.environment)
    }

    /// The command that runs `executable` under the right account.
    func command(_ executable: String, _ arguments: [String]) -> (String, [String]) {
        guard let account else { return (executable, arguments) }
        let identity = ["--reuid=\(account.user)", "--regid=\(account.group)", "--clear-groups", "--"]
        return ("setpriv", identity + [executable] + arguments)
    }

    func own(_ path: String) throws {
        guard let account else { return }
        guard chown(path, account.user, account.group) == 0 else {
            throw TestEnvironmentError("cannot give \(path) to the system user postgres: errno \(errno)")
        }
    }

    /// Without PGHOST and its like, which would lead tests to someone's own database.
    static var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
        environment["LC_ALL"] = "C.UTF-8"
        return environment
    }

    private static func newestBinaries() throws -> String {
        let root = "/usr/lib/postgresql"
        let packaged =
            FileManager.default.fileExists(atPath: root)
            ? try FileManager.default.contentsOfDirectory(atPath: root) : []
        let versions = packaged.compactMap { Int($0) }.sorted(by: >).map { "\(root)/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in versions + path
        where ["initdb", "pg_ctl", "postgres", "psql"].allSatisfy({ access(folder + "/" + $0, X_OK) == 0 }) {
            return folder
        }
        throw TestEnvironmentError("no Postgres server is installed (apt install postgresql), and no TEST_DATABASE_URL")
    }

    private static func postgresAccount() throws -> Account? {
        guard geteuid() == 0 else { return nil }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getpwnam_r("postgres", &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            throw TestEnvironmentError("Postgres refuses root, and there is no system user postgres to run it as")
        }
        return Account(user: entry.pw_uid, group: entry.pw_gid)
    }
}
