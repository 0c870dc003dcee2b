import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct ShutdownTests {
    @Test func `a shutdown answers running requests, closes idle connections and ends the server`() async throws {
        let begun = Flag()
        let gate = Flag()
        let answers = Answers { body, _ in
            begun.set()
            while !gate.isSet {
                do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
            }
            return .json(body)
        }
        try await TestServer.run(answers, configure: { $0.drainTimeout = .seconds(60) }) { server in
            let busy = try await server.connect()
            let idle = try await server.connect()
            idle.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await idle.response().status == 200)
            busy.send(post("[1]"))
            try await eventually("the call's begin") { begun.isSet }
            await server.shutDown()
            try await idle.ended()
            #expect(!server.hasEnded)
            gate.set()
            let response = try await busy.response()
            #expect(response.text == "[1]")
            #expect(response["Connection"] == "close")
            try await busy.ended()
            for each in [busy, idle] { each.close() }
            try await eventually("the server's end") { server.hasEnded }
        }
    }

    @Test func `a shutdown cancels a call that exceeds the drain timeout`() async throws {
        let begun = Flag()
        let answers = Answers { body, _ in
            begun.set()
            do { try await Task.sleep(for: .seconds(600)) } catch { return .json(ByteBuffer(string: "[0]")) }
            return .json(body)
        }
        try await TestServer.run(answers, configure: { $0.drainTimeout = .milliseconds(50) }) { server in
            let connection = try await server.connect()
            connection.send(post("[1]"))
            try await eventually("the call's begin") { begun.isSet }
            await server.shutDown()
            let response = try await connection.response()
            #expect(response.text == "[0]")
            try await eventually("the server's end") { server.hasEnded }
            connection.close()
        }
    }
}
