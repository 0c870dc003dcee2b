import Foundation
import Glibc
import Logging
import Testing

@testable import EmbeddedPostgres

@Suite struct EmbeddedPostgresTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func `data survive a restart, and no process is left after a stop`() async throws {
        try await TemporaryDataDirectory.with { temporary in
            let first = try await EmbeddedPostgres.start(in: temporary.directory, logger: logger)
            _ = try await psql(
                "CREATE TABLE kept (word text); INSERT INTO kept VALUES ('été')", at: first.connectionString)
            let process = try await temporary.postmaster()
            await first.stop()
            await first.stop()
            #expect(kill(process, 0) == -1)
            #expect(EmbeddedPostgres.runningServer(on: temporary.directory) == nil)

            let second = try await EmbeddedPostgres.start(in: temporary.directory, logger: logger)
            let word = try await psql("SELECT word FROM kept", at: second.connectionString)
            #expect(word == "été")
            let network = try await psql("SHOW listen_addresses", at: second.connectionString)
            #expect(network.isEmpty)
            await second.stop()
        }
    }

    @Test func `a Postgres that was killed is started again with the same connection string`() async throws {
        try await TemporaryDataDirectory.with { temporary in
            let postgres = try await EmbeddedPostgres.start(in: temporary.directory, logger: logger)
            let killed = try await temporary.postmaster()
            kill(killed, SIGKILL)
            let next = try await temporary.postmaster(otherThan: killed)
            #expect(next != killed)
            let answer = try await psql("SELECT 1", at: postgres.connectionString)
            #expect(answer == "1")
            await postgres.stop()
            #expect(kill(next, 0) == -1)
        }
    }

    @Test
    func `a second server is an error, a command uses the Postgres of the server, and a server waits for a command`()
        async throws
    {
        try await TemporaryDataDirectory.with { temporary in
            let server = try await EmbeddedPostgres.start(in: temporary.directory, logger: logger)
            let error = await #expect(throws: EmbeddedPostgresError.self) {
                _ = try await EmbeddedPostgres.start(in: temporary.directory, logger: logger)
            }
            #expect(error?.description.contains("another LearnTrack server (process \(getpid()))") == true)

            guard case .running(let shared) = try await EmbeddedPostgres.access(to: temporary.directory, logger: logger)
            else {
                Issue.record("the command started a Postgres beside that of the server")
                return
            }
            #expect(shared == server.connectionString)
            #expect(EmbeddedPostgres.runningServer(on: temporary.directory) == shared)
            await server.stop()

            let access = try await EmbeddedPostgres.access(to: temporary.directory, logger: logger)
            guard case .started(let own) = access else {
                Issue.record("the command found the server that was stopped")
                return
            }
            async let next = EmbeddedPostgres.start(in: temporary.directory, logger: logger)
            let answer = try await psql("SELECT 1", at: own.connectionString)
            #expect(answer == "1")
            await own.stop()
            try await next.stop()
        }
    }

    @Test func `a command that may not create a database finds none in a directory that only has the lock of a server`()
        async throws
    {
        try await TemporaryDataDirectory.with { temporary in
            let directory = temporary.directory
            try Data("serve 1\n".utf8).write(to: URL(fileURLWithPath: directory.lock))
            let error = await #expect(throws: EmbeddedPostgresError.self) {
                _ = try await EmbeddedPostgres.access(to: directory, creating: false, logger: logger)
            }
            #expect(error?.description.contains("there is no database in \(directory.path)") == true)
            #expect(!FileManager.default.fileExists(atPath: directory.postgres))
        }
    }

    @Test func `a start cleans up after a killed server and after an interrupted first start`() async throws {
        try await TemporaryDataDirectory.with { temporary in
            let directory = temporary.directory
            try FileManager.default.createDirectory(
                atPath: directory.path + "/postgres.new-1/base", withIntermediateDirectories: true)
            try Data("serve 1\n".utf8).write(to: URL(fileURLWithPath: directory.lock))
            let first = try await EmbeddedPostgres.start(in: directory, logger: logger)
            await first.stop()
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/postgres.new-1"))

            // After a crash of the machine, any process may have this process id.
            try Data("\(getpid())\n\(directory.postgres)\n1\n5432\n/tmp/gone\n\n\nready\n".utf8)
                .write(to: URL(fileURLWithPath: PostmasterFile.path(in: directory.postgres)))
            #expect(EmbeddedPostgres.runningServer(on: directory) == nil)
            let second = try await EmbeddedPostgres.start(in: directory, logger: logger)
            await second.stop()

            // A Postgres that still runs although its server and its watchdog have ended.
            let programs = try await PostgresPrograms.find(version: nil, account: directory.account)
            try await SocketDirectory.with(directory.account) { sockets in
                let orphan = try await Postmaster.start(
                    programs, data: directory.postgres, socketDirectory: sockets, log: directory.log)
                let isReady = try await orphan.waitUntilReady(data: directory.postgres)
                #expect(isReady)
                let third = try await EmbeddedPostgres.start(in: directory, logger: logger)
                await orphan.waitForEnd()
                let answer = try await psql("SELECT 1", at: third.connectionString)
                #expect(answer == "1")
                await third.stop()
            }
        }
    }

    @Test func `Postgres stops when its server is killed`() async throws {
        try await TemporaryDataDirectory.with { temporary in
            let directory = temporary.directory
            let first = try await EmbeddedPostgres.start(in: directory, logger: logger)
            await first.stop()
            let programs = try await PostgresPrograms.find(version: nil, account: directory.account)
            try await SocketDirectory.with(directory.account) { sockets in
                do {
                    // When a process is killed, the kernel closes the watchdog's socket. Here its last reference goes.
                    let watchdog = try await Watchdog.start(
                        dataDirectory: directory.postgres, socketDirectory: sockets, account: directory.account)
                    let abandoned = try await Postmaster.start(
                        programs, data: directory.postgres, socketDirectory: sockets, log: directory.log)
                    let isReady = try await abandoned.waitUntilReady(data: directory.postgres)
                    #expect(isReady)
                    withExtendedLifetime(watchdog) {}
                }
                try await temporary.waitUntilStopped()
                for _ in 0..<2400 where FileManager.default.fileExists(atPath: sockets) {
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(!FileManager.default.fileExists(atPath: sockets))
            }
        }
    }
}

private enum SocketDirectory {
    static func with(_ account: SystemAccount, _ body: (String) async throws -> Void) async throws {
        let path = "/tmp/lt-sock-" + String(UInt32.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try account.takeOwnership(of: path)
        try await body(path)
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
}
