import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct DisconnectTests {
    @Test func `the call of a client that disconnects is cancelled`() async throws {
        let begun = Flag()
        let cancelled = Flag()
        let observed = EventRecorder<RequestEvent>()
        let answers = Answers { body, _ in
            begun.set()
            do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.set() }
            return .json(body)
        }
        try await TestServer.run(answers, observers: [observed]) { server in
            let connection = try await server.connect()
            connection.send(post("[1]"))
            try await eventually("the call's begin") { begun.isSet }
            connection.close()
            try await eventually("the call's cancellation") { cancelled.isSet }
            try await eventually("its event") { !observed.all.isEmpty }
            try await eventually("its bytes given back") { server.server.load.bytesHeld == 0 }
            try await eventually("its connection closed") { server.server.load.connections == 0 }
        }
    }

    @Test func `requests that wait behind the cancelled one are never begun`() async throws {
        let begun = EventRecorder<String>()
        let events = EventRecorder<RequestEvent>()
        let answers = Answers { body, _ in
            begun.record(String(buffer: body))
            // Cancellation is what ends the call.
            try? await Task.sleep(for: .seconds(600))
            return .json(body)
        }
        try await TestServer.run(answers, observers: [events]) { server in
            let connection = try await server.connect()
            connection.send(post("[1]") + post("[2]") + post("[3]"))
            try await eventually("the first call's begin") { !begun.all.isEmpty }
            try await connection.reset()
            try await eventually("the connection's end") { server.server.load.connections == 0 }
            try await eventually("the first call's event") { !events.all.isEmpty }
            try await eventually("the bodies' release") { server.server.load.bytesHeld == 0 }
        }
        #expect(begun.all == ["[1]"])
        #expect(events.all.map(\.status) == [RequestEvent.clientGone])
    }

    @Test func `a client that closes its output after the request still receives the response`() async throws {
        try await TestServer.run(configure: { $0.halfCloseGrace = .seconds(60) }) { server in
            let connection = try await server.connect()
            connection.send(post("[1]") + post("[2]"))
            connection.closeOutput()
            #expect(try await connection.response().text == "[1]")
            #expect(try await connection.response().text == "[2]")
            try await connection.ended()
            connection.close()
        }
    }
}
