import TestSupport
import Testing

@testable import HTTPServer

@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test func `a valid traceparent is read, of later versions what version 00 has`() throws {
        for (header, written) in [
            ("00-\(Self.trace)-\(Self.span)-01", "00-\(Self.trace)-\(Self.span)-01"),
            ("00-\(Self.trace)-\(Self.span)-00", "00-\(Self.trace)-\(Self.span)-00"),
            ("00-\(Self.trace)-\(Self.span)-ff", "00-\(Self.trace)-\(Self.span)-03"),
            ("01-\(Self.trace)-\(Self.span)-01", "00-\(Self.trace)-\(Self.span)-01"),
            ("cc-\(Self.trace)-\(Self.span)-01-what-comes-later", "00-\(Self.trace)-\(Self.span)-01"),
        ] {
            #expect(TraceContext(header)?.header == written, "\(header)")
        }
        let context = try #require(TraceContext("00-\(Self.trace)-\(Self.span)-01"))
        let child = context.child()
        #expect(child.traceID == Self.trace)
        #expect(child.spanID != Self.span)
        #expect(TraceContext(child.header) == child)
    }

    @Test func `an invalid traceparent is none`() {
        for header in [
            "", "00", "ff-\(Self.trace)-\(Self.span)-01", "00-\(Self.trace)-\(Self.span)-01-more",
            "00-\(Self.trace)-\(Self.span)-1", "00-\(Self.trace)-\(Self.span)", "01-\(Self.trace)-\(Self.span)-01x",
            "00-\(String(repeating: "0", count: 32))-\(Self.span)-01",
            "00-\(Self.trace)-\(String(repeating: "0", count: 16))-01",
            "00-\(Self.trace.uppercased())-\(Self.span)-01", "00_\(Self.trace)-\(Self.span)-01",
            "00-\(Self.trace.dropLast())g-\(Self.span)-01", " 0-\(Self.trace)-\(Self.span)-01",
            "00-\(Self.trace)-\(Self.span)-0é",
        ] {
            #expect(TraceContext(header) == nil, "\(header)")
        }
    }

    @Test func `a request with one valid traceparent belongs to its trace, and one with several to none`() async throws
    {
        let events = EventRecorder<RequestEvent>()
        let line = "traceparent: 00-\(Self.trace)-\(Self.span)-01\r\n"
        try await TestServer.run(observers: [events]) { server in
            _ = try await server.send(post("[]", headers: line))
            _ = try await server.send(post("[]", headers: line.replacing("traceparent", with: "TraceParent") + line))
            _ = try await server.send(post("[]", headers: line.replacing("00-", with: "0-")))
            _ = try await server.send(post("[]"))
        }
        try #require(events.all.count == 4)
        #expect(events.all[0].trace?.traceID == Self.trace)
        #expect(events.all[0].trace?.spanID != Self.span)
        #expect(events.all[1...].allSatisfy { $0.trace == nil })
    }
}
