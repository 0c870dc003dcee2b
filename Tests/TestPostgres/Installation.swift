import ChildProcesses
import Foundation
import Glibc
import TestSupport

/// The installed Postgres programs and how to run them. Postgres refuses to run as root, so root runs them as the system
/// user `postgres`.
struct Installation: Sendable {
    let binaries: String
    /// The account that runs the programs; nil for the current one.
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

    /// Makes that account the owner of a file or folder.
    func own(_ path: String) throws {
        guard let account else { return }
        guard chown(path, account.user, account.group) == 0 else {
            throw TestEnvironmentError("cannot give \(path) to the system user postgres: errno \(errno)")
        }
    }

    /// The environment without PGHOST and the like, which could lead tests to another database.
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

/// Reads facts about other processes from /proc.
enum ProcessTable {
    static func children(of parent: pid_t) throws -> [pid_t] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        return names.compactMap { pid_t($0) }.filter { stat($0)?.parent == parent }
    }

    static func isZombie(_ process: pid_t) -> Bool { stat(process)?.state == "Z" }

    /// The fields after the name. The name is in parentheses and may contain spaces.
    private static func stat(_ process: pid_t) -> (state: Substring, parent: pid_t)? {
        guard let content = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        let text = String(decoding: content, as: UTF8.self)
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        guard fields.count > 1, let parent = pid_t(fields[1]) else { return nil }
        return (fields[0], parent)
    }
}

/// Shell scripts that a lifeline runs when the test process has ended, however it ended.
enum CleanUp {
    /// Stops a server and removes its folder. `$1` is the folder, `$2` that of the Postgres programs. A frozen server is
    /// thawed first, since it could not stop otherwise.
    static let ofServer = """
        postmaster=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
        if [ -n "$postmaster" ]; then
            family=$postmaster
            for stat in /proc/[0-9]*/stat; do
                read -r pid name state parent rest <"$stat" && [ "$parent" = "$postmaster" ] && family="$family $pid"
            done 2>/dev/null
            kill -CONT $family
            "$2/pg_ctl" -D "$1/data" -m immediate -w -t 20 stop || kill -KILL $family
        fi
        rm -rf "$1"
        """

    /// Drops the databases of this process. `$1` is a connection string, `$2` the prefix of their names.
    static let ofDatabases = """
        psql -X -q -A -t -d "$1" -c "select datname from pg_database where datname like '$2%'" |
        while read -r database; do
            psql -X -q -d "$1" -c "drop database if exists $database with (force)" </dev/null
        done
        """
}
