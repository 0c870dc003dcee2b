import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct LogLevelTests {
    @Test func `SIGHUP takes the level that the file has, and without the file the one of the setting`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/log-level"
        let server = try await TestServer.start(["--log-level", "warning", "--log-level-file", file])
        func isLogged(_ id: String) async throws -> Bool {
            _ = try await server.connection().request("GET", "/health/live", headers: [("X-Request-Id", id)])
            return server.process.errors.contains("request_id=\(id)\n")
        }
        func reload(_ content: String?, _ expected: String) async throws {
            if let content {
                try Data(content.utf8).write(to: URL(fileURLWithPath: file))
            } else {
                try FileManager.default.removeItem(atPath: file)
            }
            try server.process.signal(SIGHUP)
            try await eventually("the log says \(expected)") { server.process.errors.contains(expected) }
        }
        _ = try await isLogged("at-warning")
        try await reload("debug\n", "The level of the log has changed new=debug old=warning")
        try await eventually("a request to health is logged at debug") { try await isLogged("at-debug") }
        try await reload("loud\n", "The level of the log was not changed")
        #expect(server.process.errors.contains("trace, debug, info, notice, warning, error or critical is expected"))
        try await eventually("the level is still debug") { try await isLogged("still-debug") }
        try await reload("error", "The level of the log has changed new=error old=debug")
        _ = try await isLogged("at-error")
        try await reload(nil, "The level of the log has changed new=warning old=error")
        // Lines are written in their order.
        #expect(!server.process.errors.contains("request_id=at-warning"))
        #expect(!server.process.errors.contains("request_id=at-error"))
        #expect(try await server.client().call("auth.me")["email"] == .string(TestServer.admin))
        #expect(try await server.stop() == 0)
    }

    @Test func `a file that has no level is an error at the start`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/log-level"
        try Data("loud".utf8).write(to: URL(fileURLWithPath: file))
        let run = try await LearnTrackProcess.run(["serve", "--log-level-file", file])
        #expect(run.status != 0)
        #expect(run.errors.contains("--log-level-file: \(file): trace, debug"), "\(run.errors)")
    }
}
