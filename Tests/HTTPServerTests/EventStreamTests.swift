import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Streams of events over real connections.
@Suite struct EventStreamTests {
    /// The listeners of one endpoint, and how many streams have ended.
    private final class Source: Sendable {
        let listeners = Mutex<[EventListener]>([])
        let ended = Mutex(0)

        var endpoint: Endpoint {
            Endpoint("/events") { request in
                guard request.context.authorization == "Bearer valid" else {
                    return .text("no token", status: .unauthorized, contentType: "text/plain")
                }
                let query = (request.query ?? []).map { "\($0.name)=\($0.value)" }.joined(separator: ",")
                return .events { listener in
                    self.listeners.withLock { $0.append(listener) }
                    let id = request.headers.first(name: "Last-Event-ID") ?? ""
                    let hello = ByteBuffer(string: "data: \(query);\(id)\n\n")
                    Task { _ = await listener.send(hello) }
                    return { self.ended.withLock { $0 += 1 } }
                }
            }
        }

        func send(_ text: String) async {
            await EventListener.send(ByteBuffer(string: "data: \(text)\n\n"), to: listeners.withLock { $0 })
        }
    }

    private static func listen(
        _ server: TestServer, target: String = "/events", headers: String = "", autoRead: Bool = true
    ) async throws -> TestConnection {
        let connection = try await TestConnection.open(port: server.port, autoRead: autoRead)
        connection.send("GET \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer valid\r\n\(headers)\r\n")
        return connection
    }

    private static func receive(_ text: String, on connection: TestConnection) async throws {
        try await eventually("received \(text)") { connection.received.contains(text) }
    }

    @Test func `a listener receives the head at once and each event as it comes`() async throws {
        let source = Source()
        try await TestServer.run(endpoints: [source.endpoint]) {
            $0.allowedOrigins = ["https://app.example.org"]
        } _: { server in
            let listener = try await Self.listen(
                server, target: "/events?tables=a%2Cb&after=1+2",
                headers: "Last-Event-ID: 7-8\r\nAccept-Encoding: gzip\r\nOrigin: https://app.example.org\r\n")
            try await Self.receive("data: tables=a,b,after=1 2;7-8\n\n", on: listener)
            let head = try await listener.response()
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
            #expect(head["Cache-Control"] == "no-store")
            #expect(head["X-Content-Type-Options"] == "nosniff")
            #expect(head["Access-Control-Allow-Origin"] == "https://app.example.org")
            #expect(head["Connection"] == "close")
            #expect(head["Content-Length"] == nil)
            #expect(head["Content-Encoding"] == nil)
            await source.send("one")
            try await Self.receive("data: one\n\n", on: listener)
            await source.send("two")
            try await Self.receive("data: two\n\n", on: listener)
        }
    }

    @Test func `methods and errors are those of any other endpoint`() async throws {
        try await TestServer.run(endpoints: [Source().endpoint]) { server in
            let refused = try await server.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(refused.status == 401)
            #expect(refused.text == "no token")
            let head = try await server.send("HEAD /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer valid\r\n\r\n")
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
            #expect(head["Content-Length"] == nil)
            let posted = try await server.send("POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            #expect(posted.status == 405)
            #expect(posted["Allow"] == "GET, HEAD")
        }
    }

    @Test func `a client that disconnects no longer listens`() async throws {
        let source = Source()
        try await TestServer.run(endpoints: [source.endpoint]) { server in
            let leaving = try await Self.listen(server)
            let staying = try await Self.listen(server)
            try await Self.receive("data: ;\n\n", on: leaving)
            try await Self.receive("data: ;\n\n", on: staying)
            leaving.close()
            try await eventually("the stream ended") { source.ended.withLock { $0 } == 1 }
            await source.send("later")
            try await Self.receive("data: later\n\n", on: staying)
        }
        #expect(source.ended.withLock { $0 } == 2)
    }

    @Test func `a listener that does not read is cut off, and the others receive every event`() async throws {
        let source = Source()
        try await TestServer.run(endpoints: [source.endpoint]) { server in
            let slow = try await Self.listen(server, autoRead: false)
            let quick = try await Self.listen(server)
            try await eventually("both listen") { source.listeners.withLock { $0.count } == 2 }
            let event = String(repeating: "x", count: 16_000)
            var sent = 0
            while source.ended.withLock({ $0 }) == 0, sent < 2_000 {
                await source.send("\(sent) \(event)")
                sent += 1
                try await Self.receive("data: \(sent - 1) ", on: quick)
            }
            #expect(source.ended.withLock { $0 } == 1)
            await source.send("last")
            try await Self.receive("data: last\n\n", on: quick)
            slow.close()
        }
    }

    @Test func `a stream outlasts the idle time-out and has heartbeats`() async throws {
        let source = Source()
        try await TestServer.run(endpoints: [source.endpoint]) {
            $0.idleTimeout = .milliseconds(40)
            $0.requestTimeout = .milliseconds(400)
            $0.eventHeartbeat = .milliseconds(100)
        } _: { server in
            let listener = try await Self.listen(server)
            try await eventually("three heartbeats") { listener.received.components(of: ":\n\n") > 3 }
            await source.send("alive")
            try await Self.receive("data: alive\n\n", on: listener)
        }
    }

    @Test func `a shutdown ends the streams, and what was sent before has arrived`() async throws {
        let source = Source()
        try await TestServer.run(endpoints: [source.endpoint]) { server in
            let listener = try await Self.listen(server)
            try await Self.receive("data: ;\n\n", on: listener)
            await source.send("last")
            await server.shutDown()
            try await listener.ended()
            #expect(listener.received.hasSuffix("data: last\n\n"))
            listener.close()
        }
        #expect(source.ended.withLock { $0 } == 1)
    }

    @Test func `a source ends the stream of one listener`() async throws {
        let source = Source()
        try await TestServer.run(endpoints: [source.endpoint]) { server in
            let listener = try await Self.listen(server)
            try await Self.receive("data: ;\n\n", on: listener)
            source.listeners.withLock { $0 }.first?.end()
            try await listener.ended()
            try await eventually("the source knows") { source.ended.withLock { $0 } == 1 }
        }
    }

    @Test(arguments: ["/events?a=%4", "/events?a=%zz", "/events?a=%ff"])
    func `a malformed query is told from an empty one`(target: String) {
        let request = EndpointRequest(RequestContext(requestID: "1"), target: target)
        #expect(request.query == nil)
    }
}

extension String {
    /// The number of parts that `separator` divides this text into.
    fileprivate func components(of separator: String) -> Int {
        var count = 1
        var rest = self[...]
        while let end = rest.firstRange(of: separator) {
            count += 1
            rest = rest[end.upperBound...]
        }
        return count
    }
}
