import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct BodyLimitTests {
    private static func small(_ configuration: inout HTTPConfiguration) { configuration.maxBodyBytes = 1_000 }

    @Test func `a body of exactly the limit is taken`() async throws {
        try await TestServer.run(configure: Self.small) { server in
            let response = try await server.send(post(String(repeating: " ", count: 1_000)))
            #expect(response.status == 200)
        }
    }

    @Test func `a longer body is refused by its Content-Length, before it is sent`() async throws {
        try await TestServer.run(configure: Self.small) { server in
            let connection = try await server.connect()
            connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
            try await expectTooLarge(connection)
        }
    }

    @Test func `a Content-Length that no integer holds is refused`() async throws {
        try await TestServer.run(configure: Self.small) { server in
            let connection = try await server.connect()
            connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551615\r\n\r\n")
            try await expectTooLarge(connection)
        }
    }

    @Test func `a chunked body is refused when it exceeds the limit`() async throws {
        try await TestServer.run(configure: Self.small) { server in
            let connection = try await server.connect()
            connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<11 { connection.send("64\r\n" + String(repeating: "x", count: 100) + "\r\n") }
            try await expectTooLarge(connection)
        }
    }

    @Test func `a client that sends megabytes after a refusal can still read the response`() async throws {
        try await TestServer.run(configure: Self.small) { server in
            let connection = try await server.connect()
            connection.send(post(String(repeating: "x", count: 8 << 20)))
            try await expectTooLarge(connection)
        }
    }

    @Test func `a client that expects 100 Continue receives it before it sends its body`() async throws {
        try await TestServer.run(configure: Self.small) { server in
            let connection = try await server.connect()
            connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await connection.response().status == 100)
            connection.send("[1]")
            let response = try await connection.response()
            #expect(response.status == 200)
            #expect(response.text == "[1]")
            connection.send(post("[2]"))
            #expect(try await connection.response().text == "[2]")
            connection.close()
        }
    }

    @Test func `100 Continue and compression work together`() async throws {
        let long = String(repeating: "abc ", count: 1_000)
        try await TestServer.run { server in
            let connection = try await server.connect()
            for _ in 0..<3 {
                connection.send(
                    "POST /rpc HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nContent-Length: \(long.utf8.count)\r\n"
                        + "Expect: 100-continue\r\n\r\n")
                #expect(try await connection.response().status == 100)
                connection.send(long)
                let response = try await connection.response()
                #expect(response.status == 200)
                #expect(response["Content-Encoding"] == "gzip")
            }
            connection.close()
        }
    }

    @Test func `no 100 Continue is sent for a body that is too long or not accepted`() async throws {
        try await TestServer.run(configure: Self.small) { server in
            let connection = try await server.connect()
            connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
            try await expectTooLarge(connection)
            let other = try await server.connect()
            other.send("POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await other.response().status == 404)
            try await other.ended()
            let odd = try await server.connect()
            odd.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: miracles\r\n\r\n")
            #expect(try await odd.response().status == 417)
            for each in [connection, other, odd] { each.close() }
        }
    }

    @Test func `100 Continue for a second request is sent after the first one's response`() async throws {
        let gate = Flag()
        let answers = Answers { body, _ in
            while !gate.isSet {
                do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
            }
            return .json(body)
        }
        try await TestServer.run(answers, configure: { $0.eventLoopThreads = 1 }) { server in
            let connection = try await server.connect()
            connection.send(
                post("[1]")
                    + "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            // The other connection's answer shows that the first one's bytes had time to be read.
            #expect(try await server.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
            gate.set()
            #expect(try await connection.response().text == "[1]")
            #expect(try await connection.response().status == 100)
            connection.send("[2]")
            #expect(try await connection.response().text == "[2]")
            connection.close()
        }
    }

    private func expectTooLarge(_ connection: TestConnection) async throws {
        let response = try await connection.response()
        #expect(response.status == 413)
        #expect(response["Connection"] == "close")
        #expect(response.errorCode == "limit_exceeded")
        try await connection.ended()
        connection.close()
    }
}
