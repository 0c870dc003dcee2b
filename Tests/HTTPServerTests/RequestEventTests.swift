import Glibc
import Logging
import NIOCore
import Observability
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct RequestEventTests {
    @Test func `observers receive one event per request`() async throws {
        let events = EventRecorder<RequestEvent>()
        let answers = Answers { body, call in
            HandlerResponse(body: body, record: TestRecord([call.requestID]))
        }
        try await TestServer.run(answers, observers: [events]) { server in
            _ = try await server.send(post("[1,2]", headers: "X-Request-Id: abc\r\n"))
            _ = try await server.send("GET /secret/path HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        try #require(events.all.count == 2)
        let call = events.all[0]
        #expect(call.requestID == "abc")
        #expect(call.httpMethod == "POST")
        #expect(call.path == "/rpc")
        #expect(call.status == 200)
        #expect(call.record?.loggedCalls.map(\.method) == ["abc"])
        #expect(call.bytesReceived == 5)
        #expect(call.bytesSent == 5)
        #expect(call.remoteAddress == "127.0.0.1")
        #expect(events.all[1].path == nil)
        #expect(events.all[1].status == 404)
        #expect(events.all[1].record == nil)
    }

    @Test func `the handler receives headers, address and deadline of the request`() async throws {
        let seen = Mutex<RequestContext?>(nil)
        let answers = Answers { body, call in
            seen.withLock { $0 = call }
            return .json(body)
        }
        try await TestServer.run(answers, configure: { $0.requestDeadline = .seconds(7) }) { server in
            let before = ContinuousClock.now
            _ = try await server.send(post("[]", headers: "Authorization: Bearer x\r\nUser-Agent: y\r\n"))
            let call = try #require(seen.withLock { $0 })
            #expect(call.authorization == "Bearer x")
            #expect(call.userAgent == "y")
            #expect(call.remoteAddress == "127.0.0.1")
            #expect(call.deadline >= before + .seconds(7))
            #expect(call.deadline <= .now + .seconds(7))
        }
    }

    @Test func `a valid X-Request-Id is kept and any other is replaced`() async throws {
        try await TestServer.run { server in
            for sane in ["a", "A.b_c:d-9", String(repeating: "x", count: 128)] {
                #expect(try await server.send(post("[]", headers: "X-Request-Id: \(sane)\r\n"))["X-Request-Id"] == sane)
            }
            var given: Set<String> = []
            for odd in ["a b", "é", "a\"b", String(repeating: "x", count: 129), "<x>"] {
                let id = try await server.send(post("[]", headers: "X-Request-Id: \(odd)\r\n"))["X-Request-Id"]
                #expect(id != odd)
                given.insert(try #require(id))
            }
            #expect(given.count == 5)
            #expect(given.allSatisfy(RequestIDGenerator.isValid))
        }
    }

    @Test func `the log has one line per request, and one for each call of a batch`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let sink = LogSink(descriptor: ends[1])
        let writer = LogWriter(label: "x", format: .text, sink: sink)
        let log = RequestLog(writer: writer)
        log.observe(
            RequestEvent(
                requestID: "r1", httpMethod: "POST", path: "/rpc", status: 200,
                record: TestRecord(["sessions.list", "sessions.get"]), nanoseconds: 1_234_567,
                bytesReceived: 10, bytesSent: 20, remoteAddress: "::1"))
        log.observe(
            RequestEvent(
                requestID: "r3", httpMethod: "POST", path: "/rpc", status: 200, record: TestRecord(["auth.me"]),
                nanoseconds: 1_000_000, bytesReceived: 1, bytesSent: 2, remoteAddress: nil,
                trace: TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")))
        log.observe(
            RequestEvent(
                requestID: "r2", httpMethod: "GET", path: nil, status: 404, nanoseconds: 2_000,
                bytesReceived: 0, bytesSent: 5, remoteAddress: nil))
        sink.flush(within: .seconds(60))
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(ends[0], &bytes, bytes.count)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.map { $0.dropFirst(25) } == [
                "info POST /rpc 200 calls=2 code=-32603 in=10 ms=1.234 out=20 remote=::1 request_id=r1",
                "info Call of a batch call=0 code=0 method=sessions.list ms=0.005 request_id=r1",
                "info Call of a batch call=1 code=-32603 method=sessions.get ms=0.005 request_id=r1",
                "info POST /rpc 200 code=0 in=1 method=auth.me ms=1.000 out=2 request_id=r3"
                    + " span_id=00f067aa0ba902b7 trace_id=4bf92f3577b34da6a3ce929d0e0e4736",
                "info GET - 404 in=0 ms=0.002 out=5 request_id=r2",
            ])
    }
}

private final class TestRecord: RequestRecord {
    let loggedCalls: [LoggedCall]

    /// The second call has failed.
    init(_ methods: [String]) {
        loggedCalls = methods.enumerated().map { index, method in
            LoggedCall(method: method, code: index == 1 ? -32603 : 0, nanoseconds: 5_000)
        }
    }
}
