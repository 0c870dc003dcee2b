import DomainKit
import JSON
import TestPostgres
import Testing

/// security.md: "hashing | off the event loops, yescrypt cost 5 (7 takes 64 MB a hash), at most 2 at once, a bounded queue
/// behind (429 past it): logins never starve reads".
struct LoginFloodFaultTests {
    @Test
    func `logins beyond the hashing queue are 429, and reads continue while the others are hashed`() async throws {
        // Long enough for two cores that other processes use as well.
        let server = try await TestServer.start(["--request-timeout", "120"])
        let login: JSONValue = ["email": .string(TestServer.user), "password": .string(TestServer.password)]
        // The first login rewrites the hash of an older kind.
        _ = try await server.client(nil).call("auth.login", login)
        let reader = try await server.client()
        _ = try await reader.call("sessions.list")
        let clients = try (0..<200).map { _ in try RPCClient(port: server.port, token: nil) }
        let (codes, reads) = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in clients {
                group.addTask { try await client.response("auth.login", login).at("/error/code").int ?? 200 }
            }
            // Reads one after the other until the last login has its answer.
            let reading = Task {
                var reads = 0
                while !Task.isCancelled {
                    _ = try await reader.call("sessions.list")
                    reads += 1
                }
                return reads
            }
            let codes = try await group.reduce(into: [Int]()) { $0.append($1) }
            reading.cancel()
            return (codes, try await reading.value)
        }
        #expect(Set(codes) == [200, 429])
        #expect(codes.count(where: { $0 == 200 }) >= 66)
        // Hashes on the threads of the calls would leave one read for ten logins.
        let hashed = codes.count(where: { $0 == 200 })
        #expect(reads * 2 >= hashed, "\(reads) reads beside \(hashed) logins")
    }
}
