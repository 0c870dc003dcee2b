import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// The token is looked at when the head has been received, before the body.
@Suite struct AdmissionTests {
    private static let token = "Authorization: Bearer valid\r\n"

    private static func head(_ length: Int, _ headers: String = "") -> String {
        "POST /rpc HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: \(length)\r\n\r\n"
    }

    private func expectUnauthenticated(_ connection: TestConnection) async throws {
        let response = try await connection.response()
        #expect(response.status == 401)
        #expect(response.errorCode == "unauthenticated")
        #expect(response["Connection"] == "close")
        #expect(response["WWW-Authenticate"] == "Bearer")
        try await connection.ended()
        connection.close()
    }

    @Test(arguments: ["", "Authorization: Bearer other\r\n", "Expect: 100-continue\r\n"])
    func `more than 64 KiB are refused at the head without a valid token`(headers: String) async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            connection.send(Self.head(65_537, headers))
            try await expectUnauthenticated(connection)
            #expect(server.server.load.bytesHeld == 0)
        }
    }

    @Test func `a chunked body is refused without a valid token once it exceeds 64 KiB`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<17 { connection.send("1000\r\n" + String(repeating: "x", count: 4_096) + "\r\n") }
            try await expectUnauthenticated(connection)
            try await eventually("everything given back") { server.server.load.bytesHeld == 0 }
        }
    }

    @Test func `with a valid token a body may have as many bytes as the setting allows`() async throws {
        try await TestServer.run { server in
            let response = try await server.send(post(String(repeating: " ", count: 1 << 20), headers: Self.token))
            #expect(response.status == 200)
            #expect(response.body.count == 1 << 20)
            let connection = try await server.connect()
            connection.send(Self.head((1 << 20) + 1, Self.token))
            #expect(try await connection.response().status == 413)
            connection.close()
        }
    }

    @Test func `64 KiB are taken from everyone, and more than the setting from no one`() async throws {
        try await TestServer.run { server in
            #expect(try await server.send(post(String(repeating: " ", count: 65_536))).status == 200)
            let connection = try await server.connect()
            connection.send(Self.head((1 << 20) + 1))
            #expect(try await connection.response().status == 413)
            connection.close()
        }
    }

    @Test func `two different Authorization headers are no token, and two equal ones are one`() async throws {
        let seen = EventRecorder<String>()
        let answers = Answers { body, context in
            seen.record(context.authorization ?? "none")
            return .json(body)
        }
        try await TestServer.run(answers) { server in
            let other = "Authorization: Bearer other\r\n"
            for headers in [Self.token + other, Self.token + Self.token] {
                #expect(try await server.send(post("[]", headers: headers)).status == 200)
            }
            #expect(seen.all == ["Bearer valid, Bearer other", "Bearer valid"])
            let connection = try await server.connect()
            connection.send(Self.head(70_000, Self.token + other))
            try await expectUnauthenticated(connection)
        }
    }
}
