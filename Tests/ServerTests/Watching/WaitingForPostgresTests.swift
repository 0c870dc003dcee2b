import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct WaitingForPostgresTests {
    @Test(arguments: [
        (
            "postgres://claire:geheim-4711@127.0.0.1:9/learntrack",
            ["\"127.0.0.1\"", "port 9", "Connection refused"]
        ),
        (
            "postgres://claire:geheim-4711@no-such-host.invalid:5433/learntrack",
            ["\"no-such-host.invalid\"", "could not translate host name"]
        ),
        ("host=/no/such/folder password=geheim-4711 dbname=learntrack", ["/no/such/folder", "No such file"]),
    ])
    func `a server that waits for its database says where it looked and what it was answered`(
        url: String, expected: [String]
    ) async throws {
        let process = try LearnTrackProcess(
            ["serve", "--port", "0"], environment: ["DATABASE_URL": url, "JWT_SECRET": TestServer.secret])
        try await eventually("it says that it waits", within: .seconds(30)) {
            process.errors.contains("Waiting for Postgres: it does not answer (")
        }
        for part in expected { #expect(process.errors.contains(part), "\(process.errors)") }
        #expect(!process.errors.contains("geheim-4711"))
        try process.signal(SIGTERM)
        try await process.waitForExit()
    }
}
