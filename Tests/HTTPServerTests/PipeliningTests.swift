import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct PipeliningTests {
    @Test func `responses are in the order of the requests, however long each takes`() async throws {
        let answers = Answers { body, _ in
            if body.readableBytes % 2 == 0 { for _ in 0..<50 { await Task.yield() } }
            return .json(body)
        }
        try await TestServer.run(answers) { server in
            let connection = try await server.connect()
            let bodies = (0..<200).map { String(repeating: "x", count: $0 % 7) + "\($0)" }
            connection.send(bodies.map { post($0) }.joined())
            for body in bodies { #expect(try await connection.response().text == body) }
            connection.close()
        }
    }

    @Test func `thousands of pipelined requests that fail at once are all answered`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            let refused = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
            connection.send(String(repeating: refused, count: 5_000) + post("[1]"))
            var last = try await connection.response()
            var count = 1
            while last.status == 404 {
                last = try await connection.response()
                count += 1
            }
            #expect(last.text == "[1]")
            #expect(count == 5_001)
            connection.close()
        }
    }

    @Test func `thousands of pipelined calls are all answered`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            connection.send(String(repeating: post("[1]"), count: 3_000))
            for _ in 0..<3_000 { #expect(try await connection.response().status == 200) }
            connection.close()
        }
    }

    @Test func `a client that pipelines many requests does not keep the event loop from other clients`() async throws {
        let (begun, otherSent) = (Flag(), Flag())
        let order = Mutex<[String]>([])
        let answers = Answers { body, _ in
            let name = String(buffer: body)
            order.withLock { $0.append(name) }
            if name == "first" {
                // Blocks the loop until the other client's request has been sent.
                begun.set()
                while !otherSent.isSet {}
            }
            if name == "more" {
                // Each blocks the loop for a while.
                let end = ContinuousClock.now + .milliseconds(3)
                while .now < end {}
            }
            return .json(body)
        }
        try await TestServer.run(answers) { server in
            let other = try await server.connect()
            other.send(post("hello"))
            _ = try await other.response()
            let greedy = try await server.connect()
            greedy.send(post("first") + String(repeating: post("more"), count: 8))
            try await eventually("the first request") { begun.isSet }
            defer { otherSent.set() }
            try await other.sendWhole(post("other"))
            otherSent.set()
            #expect(try await other.response().text == "other")
            #expect(try await greedy.response().text == "first")
            for _ in 0..<8 { #expect(try await greedy.response().text == "more") }
            for each in [greedy, other] { each.close() }
        }
        let names = order.withLock { $0 }
        #expect(names.count == 11)
        #expect(names.last == "more", "the other came last: \(names)")
    }

    @Test func `requests after one with Connection: close are not answered`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            connection.send(post("[1]") + post("[2]", headers: "Connection: close\r\n") + post("[3]"))
            #expect(try await connection.response().text == "[1]")
            let second = try await connection.response()
            #expect(second.text == "[2]")
            #expect(second["Connection"] == "close")
            try await connection.ended()
            #expect(connection.isEmpty)
            connection.close()
        }
    }

    @Test func `an HTTP 1.0 connection is closed unless the client asks for keep-alive`() async throws {
        try await TestServer.run { server in
            let closing = try await server.connect()
            closing.send("POST /rpc HTTP/1.0\r\nContent-Length: 2\r\n\r\n[]")
            let closed = try await closing.response()
            #expect(closed.text == "[]")
            #expect(closed["Connection"] == "close")
            try await closing.ended()
            let staying = try await server.connect()
            for _ in 0..<2 {
                staying.send("POST /rpc HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n[]")
                let kept = try await staying.response()
                #expect(kept.text == "[]")
                #expect(kept["Connection"] == "keep-alive")
            }
            for each in [closing, staying] { each.close() }
        }
    }

    @Test func `no further request of a client that does not read is begun`() async throws {
        let asked = EventRecorder<RequestEvent>()
        let large = ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20)
        try await TestServer.run(Answers { _, _ in .json(large) }, observers: [asked]) { server in
            let connection = try await TestConnection.open(port: server.port, autoRead: false)
            connection.send(String(repeating: post("[]"), count: 200))
            try await eventually("a first answer") { !asked.all.isEmpty }
            // Others are served meanwhile; afterwards most requests of the first client are still not begun.
            for _ in 0..<20 {
                #expect(try await server.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
            }
            #expect(asked.all.count { $0.path == "/rpc" } < 100)
            connection.startReading()
            for _ in 0..<200 { #expect(try await connection.response().body.count == 1 << 20) }
            connection.close()
        }
    }
}
