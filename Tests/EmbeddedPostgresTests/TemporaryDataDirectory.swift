import ChildProcesses
import Foundation
import Glibc
import TestPostgres
import Testing

@testable import EmbeddedPostgres

/// A data directory for one test; `with` removes it afterwards.
struct TemporaryDataDirectory {
    let directory: DataDirectory

    static func with(_ body: (TemporaryDataDirectory) async throws -> Void) async throws {
        let path = "/tmp/lt-data-" + String(UInt64.random(in: .min ... .max), radix: 36)
        // When root runs the tests, the system user postgres has to enter it.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
        let temporary = TemporaryDataDirectory(directory: try DataDirectory(path))
        do {
            try await body(temporary)
        } catch {
            try FileManager.default.removeItem(atPath: path)
            throw error
        }
        try FileManager.default.removeItem(atPath: path)
    }

    /// Waits for a Postgres that runs on it, and returns its process id.
    ///
    /// - Parameter former: a process that does not count.
    func postmaster(otherThan former: pid_t? = nil) async throws -> pid_t {
        for _ in 0..<2400 {
            if let file = PostmasterFile(dataDirectory: directory.postgres), file.isReady, file.process != former,
                file.isAlive(in: directory.postgres)
            {
                return file.process
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw EmbeddedPostgresError("no Postgres has started on \(directory.path)")
    }

    /// Waits until no Postgres runs on it.
    func waitUntilStopped() async throws {
        for _ in 0..<2400 {
            guard let file = PostmasterFile(dataDirectory: directory.postgres), file.isAlive(in: directory.postgres)
            else { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw EmbeddedPostgresError("Postgres still runs on \(directory.path)")
    }
}

/// What psql prints for `sql`. Tries again until a server that is starting answers.
func psql(_ sql: String, at connectionString: String) async throws -> String {
    var message = ""
    for _ in 0..<1200 {
        let result = try await ChildProcess.run(
            "psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", connectionString, "-c", sql],
            environment: PostgresPrograms.environment)
        if result.status == 0 { return result.output.trimmingCharacters(in: .whitespacesAndNewlines) }
        message = result.errors
        try await Task.sleep(for: .milliseconds(100))
    }
    throw EmbeddedPostgresError("psql: \(message)")
}
