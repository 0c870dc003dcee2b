import ChildProcesses
import Foundation
import Glibc

/// Where the private Postgres keeps its data and the server its secret.
package struct DataDirectory: Sendable {
    package let path: String
    let account: Account

    var postgres: String { path + "/postgres" }
    var log: String { path + "/postgres.log" }
    var lock: String { path + "/lock" }
    var secret: String { path + "/secret" }

    /// - Parameter path: absolute or relative to the working directory; nil is `.learntrack` there, or for root
    ///   `/var/lib/learntrack`, since the system user `postgres` cannot enter a clone under /root.
    package init(_ path: String?) throws {
        account = try .forPostgres()
        let given = path ?? (account.identity == nil ? ".learntrack" : "/var/lib/learntrack")
        let absolute = given.hasPrefix("/") ? given : FileManager.default.currentDirectoryPath + "/" + given
        self.path = URL(fileURLWithPath: absolute).standardizedFileURL.path
    }

    /// Makes the directory if need be, and sees that Postgres's account gets there.
    func prepare() async throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw EmbeddedPostgresError("cannot make the data directory \(path)")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw EmbeddedPostgresError.system("cannot use the data directory \(path)", errno)
        }
        guard account.identity != nil else { return }
        let (executable, arguments) = account.command("/usr/bin/test", ["-x", path])
        guard
            try await ChildProcess.run(
                executable, arguments, environment: PostgresPrograms.environment
            ).status == 0
        else {
            throw EmbeddedPostgresError(
                "started by root, Postgres runs as the system user postgres, which cannot enter \(path): "
                    + "choose another --data-dir")
        }
    }

    /// The major version of Postgres that the data belongs to; nil before the first start.
    func version() throws -> Int? {
        guard let content = FileManager.default.contents(atPath: postgres + "/PG_VERSION") else { return nil }
        return Int(String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Makes the database cluster, in one step as seen from outside: it is made under another name and renamed when it
    /// is complete, so that a first start that was interrupted leaves nothing that a second would take for data.
    func initialise(with programs: PostgresPrograms) async throws {
        try await removeUnfinished()
        let new = path + "/postgres.new-\(UInt32.random(in: .min ... .max))"
        guard mkdir(new, 0o700) == 0 else { throw EmbeddedPostgresError.system("cannot make \(new)", errno) }
        try account.own(new)
        let made = try await programs.run(
            "initdb",
            [
                "-D", new, "-U", EmbeddedPostgres.user, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
            ])
        guard made.status == 0 else { throw EmbeddedPostgresError("initdb: \(made.output.lastLines(3))") }
        // Single-user mode takes one statement a line and needs no server.
        let created = try await programs.run(
            "postgres", ["--single", "-D", new, "postgres"], input: "CREATE DATABASE \(EmbeddedPostgres.database)\n")
        guard created.status == 0, !created.output.contains("ERROR") else {
            throw EmbeddedPostgresError("cannot create the database: \(created.output.lastLines(3))")
        }
        guard rename(new, postgres) == 0 else {
            throw EmbeddedPostgresError.system("cannot rename \(new)", errno)
        }
    }

    private func removeUnfinished() async throws {
        for leftover in try FileManager.default.contentsOfDirectory(atPath: path)
        where leftover.hasPrefix("postgres.new") {
            for attempt in 1... {
                do {
                    try FileManager.default.removeItem(atPath: path + "/" + leftover)
                    break
                } catch {
                    // The initdb of a server that was killed may still be at work in there.
                    guard attempt < 100 else { throw EmbeddedPostgresError("cannot remove \(path)/\(leftover)") }
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    /// Waits for a Postgres that a killed server has left behind on this data, and removes what it left.
    ///
    /// Called under the lock: whoever started that Postgres is gone.
    func clearRemains() async throws {
        guard let file = PostmasterFile(dataDirectory: postgres) else { return }
        for signal in [SIGINT, SIGQUIT, SIGKILL] where file.isAlive(in: postgres) {
            kill(file.process, signal)
            for _ in 0..<200 where file.isAlive(in: postgres) { try await Task.sleep(for: .milliseconds(50)) }
        }
        guard !file.isAlive(in: postgres) else {
            throw EmbeddedPostgresError("process \(file.process), a Postgres on \(postgres), does not stop")
        }
        // Its number may be someone else's by now, which Postgres would take for its own kind.
        if PostmasterFile(dataDirectory: postgres) == file { unlink(PostmasterFile.path(in: postgres)) }
    }
}

extension String {
    func lastLines(_ count: Int) -> String {
        split(separator: "\n").suffix(count).joined(separator: " / ")
    }
}
