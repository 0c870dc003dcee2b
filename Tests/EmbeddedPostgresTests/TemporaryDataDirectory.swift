import ChildProcesses
import Foundation
import Glibc
import TestPostgres
import Testing

@testable import EmbeddedPostgres

/// A data directory of a test's own; `with` removes it afterwards.
struct TemporaryDataDirectory {
    let directory: DataDirectory

    static func with(_ body: (TemporaryDataDirectory) async throws -> Void) async throws {
        let path = "/tmp/lt-data-" + String(UInt64.random(in: .min ... .max), radix: 36)
        // The system user postgres has to pass through when root runs the tests.
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

    /// The Postgres that runs on it; the test waits for one, since it may be about to come back.
    func postmaster(otherThan former: pid_t? = nil) async throws -> pid_t {
        for _ in 0..<2400 {
            if let file = PostmasterFile(dataDirectory: directory.postgres), file.isReady, file.process != former,
                file.isAlive(in: directory.postgres)
            {
                return file.process
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw EmbeddedPostgresError("no Postgres came up on \(directory.path)")
    }

    /// Waits until no Postgres works on it.
    func quiet() async throws {
        for _ in 0..<2400 {
            guard let file = PostmasterFile(dataDirectory: directory.postgres), file.isAlive(in: directory.postgres)
            else { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw EmbeddedPostgresError("Postgres still runs on \(directory.path)")
    }
}

/// What psql prints for `sql`, tried until a starting server answers.
func psql(_ sql: String, at connectionString: String) async throws -> String {
    var said = ""
    for _ in 0..<1200 {
        let ran = try await ChildProcess.run(
            "psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", connectionString, "-c", sql],
            environment: PostgresPrograms.environment)
        if ran.status == 0 { return ran.output.trimmingCharacters(in: .whitespacesAndNewlines) }
        said = ran.errors
        try await Task.sleep(for: .milliseconds(100))
    }
    throw EmbeddedPostgresError("psql: \(said)")
}
