import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct SlowClientTests {
    @Test(arguments: [
        "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n[1", "POST /rpc HTTP/1.1\r\nHost:",
    ]) func `an incomplete request is answered with 408 after the timeout`(beginning: String) async throws {
        try await TestServer.run(configure: { $0.requestTimeout = .milliseconds(40) }) { server in
            let connection = try await server.connect()
            connection.send(beginning)
            let response = try await connection.response()
            #expect(response.status == 408)
            #expect(response["Connection"] == "close")
            try await connection.ended()
            connection.close()
            try await eventually("everything given back") { server.server.load.bytesHeld == 0 }
        }
    }

    @Test func `a connection without any request is closed after the idle timeout`() async throws {
        try await TestServer.run(configure: { $0.idleTimeout = .milliseconds(40) }) { server in
            let connection = try await server.connect()
            try await connection.ended()
            #expect(connection.isEmpty)
            connection.close()
        }
    }

    @Test func `a connection is closed after the idle timeout that follows a response`() async throws {
        try await TestServer.run(configure: { $0.idleTimeout = .seconds(1) }) { server in
            let connection = try await server.connect()
            connection.send(post("[]"))
            try await connection.ended()
            // On a very busy machine the request may not arrive before the timeout.
            if !connection.isEmpty { #expect(try await connection.response().status == 200) }
            #expect(connection.isEmpty)
            connection.close()
        }
    }

    @Test func `the request timeout does not apply to a running call`() async throws {
        let answers = Answers { body, _ in
            do {
                try await Task.sleep(for: .milliseconds(300))
            } catch {
                Issue.record("the call was cancelled")
            }
            return .json(body)
        }
        try await TestServer.run(answers, configure: { $0.requestTimeout = .milliseconds(20) }) { server in
            let response = try await server.send(post("[1]"))
            #expect(response.text == "[1]")
        }
    }
}
