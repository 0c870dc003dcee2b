import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

/// Clients that send or read nothing cannot keep others from the memory and the connections of a server.
@Suite struct ResourceShareTests {
    private static let token = "Authorization: Bearer valid\r\n"

    /// A request of which a part is missing.
    private static func half(_ bytes: Int, of length: Int, _ headers: String = "") -> String {
        "POST /rpc HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: \(length)\r\n\r\n"
            + String(repeating: "x", count: bytes)
    }

    /// Keeps a call running until the gate opens. Records a cancellation, which no test here expects.
    private static func wait(for gate: Flag) async {
        do {
            try await eventually("the gate opens") { gate.isSet }
        } catch {
            Issue.record(error)
        }
    }

    @Test(arguments: ["", token])
    func `half-sent bodies make way for a client that sends at once, the stalest first`(headers: String) async throws {
        let part = MemoryBudget.Limits(
            total: 150_000, anonymous: 150_000, address: 150_000, connection: 65_536,
            stallTime: 0)
        try await TestServer.run(configure: { $0.receivedBytes = part }) { server in
            var holders: [TestConnection] = []
            for count in 1...2 {
                let holder = try await server.connect()
                holder.send(Self.half(60_000, of: 60_001, headers))
                holders.append(holder)
                try await eventually("the body is held") { server.server.load.bytesHeld > count * 60_000 }
            }
            let body = String(repeating: "y", count: 60_000)
            #expect(try await server.send(post(body, headers: headers)).text == body)
            let response = try await holders[0].response()
            #expect(response.status == 408)
            #expect(response["Connection"] == "close")
            holders[1].send("x")
            #expect(try await holders[1].response().status == 200)
            for holder in holders { holder.close() }
            try await eventually("everything given back") { server.server.load.bytesHeld == 0 }
        }
    }

    @Test func `bodies of up to 8 KiB find room while requests that run hold all of it`() async throws {
        let gate = Flag()
        let answers = Answers { body, _ in
            if body.readableBytes > 8_192 { await Self.wait(for: gate) }
            return .json(body)
        }
        let part = MemoryBudget.Limits(total: 70_000, anonymous: 70_000, address: 70_000, connection: 70_000)
        try await TestServer.run(answers, configure: { $0.receivedBytes = part }) { server in
            let holder = try await server.connect()
            holder.send(post(String(repeating: "x", count: 60_000)))
            try await eventually("the body is held") { server.server.load.bytesHeld > 0 }
            let refused = try await server.send(post(String(repeating: "x", count: 60_000)))
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] == "1")
            #expect(try await server.send(post(String(repeating: "x", count: 8_192))).status == 200)
            gate.set()
            #expect(try await holder.response().status == 200)
            holder.close()
        }
    }

    @Test func `many strangers with half-sent bodies do not keep a client from sending`() async throws {
        try await TestServer.run(configure: { $0.receivedBytes.stallTime = 0 }) { server in
            var holders: [TestConnection] = []
            for _ in 0..<400 {
                let holder = try await server.connect()
                holder.send(Self.half(60_000, of: 65_536))
                holders.append(holder)
            }
            try await eventually("the strangers' part is full") { server.server.load.bytesHeld > 15 << 20 }
            for headers in ["", Self.token] {
                #expect(
                    try await server.send(post(String(repeating: " ", count: 65_536), headers: headers)).status == 200)
            }
            #expect(server.server.load.bytesHeld <= 16 << 20)
            for holder in holders { holder.close() }
            try await eventually("everything given back") { server.server.load.bytesHeld == 0 }
        }
    }

    @Test func `a request that runs is answered although a half-sent one behind it makes way`() async throws {
        let gate = Flag()
        let answers = Answers { body, _ in
            if body.readableBytes == 3 { await Self.wait(for: gate) }
            return .json(body)
        }
        let part = MemoryBudget.Limits(
            total: 70_000, anonymous: 70_000, address: 70_000, connection: 70_000, stallTime: 0)
        try await TestServer.run(answers, configure: { $0.receivedBytes = part }) { server in
            let holder = try await server.connect()
            holder.send(post("[1]") + Self.half(60_000, of: 60_001))
            try await eventually("the second body is held") { server.server.load.bytesHeld > 60_000 - 1 }
            #expect(try await server.send(post(String(repeating: "y", count: 60_000))).status == 200)
            gate.set()
            #expect(try await holder.response().text == "[1]")
            #expect(try await holder.response().status == 408)
            try await holder.ended()
            holder.close()
            try await eventually("everything given back") { server.server.load.bytesHeld == 0 }
        }
    }

    @Test func `a response without room becomes an error that asks for no repetition`() async throws {
        let part = MemoryBudget.Limits(total: 10_000, anonymous: 10_000, address: 10_000, connection: 10_000)
        let answers = Answers { body, _ in .json(body.readableBytes > 2 ? Self.large : body) }
        try await TestServer.run(answers, configure: { $0.unsentBytes = part }) { server in
            let response = try await server.send(post("[1]"))
            #expect(response.status == 500)
            #expect(response.text.hasPrefix("outcome_unknown "))
            #expect(response["Retry-After"] == nil)
            #expect(try await server.send(post("[]")).status == 200)
        }
    }

    @Test func `half-sent heads are counted`() async throws {
        let part = MemoryBudget.Limits(
            total: 1 << 20, anonymous: 64 << 10, address: 1 << 20, connection: 1 << 20, stallTime: 0)
        try await TestServer.run(configure: { $0.receivedBytes = part }) { server in
            let line = "A: " + String(repeating: "x", count: 9_000) + "\r\n"
            var holders: [TestConnection] = []
            for count in 1...3 {
                let holder = try await server.connect()
                holder.send("POST /rpc HTTP/1.1\r\nHost: x\r\n\(line)")
                holders.append(holder)
                try await eventually("the head is counted") {
                    server.server.load.bytesHeld == min(2, count) * 32 << 10
                }
            }
            #expect(try await holders[0].response().status == 408)
            holders[2].send("Content-Length: 2\r\n\r\n[]")
            #expect(try await holders[2].response().status == 200)
            for holder in holders { holder.close() }
            try await eventually("everything given back") { server.server.load.bytesHeld == 0 }
        }
    }

    /// More than the kernel buffers for a client that does not read.
    private static let large = ByteBuffer(repeating: UInt8(ascii: " "), count: 12 << 20)

    @Test func `clients that do not read make way for one that does`() async throws {
        let answers = Answers { body, _ in .json(body.readableBytes > 2 ? Self.large : body) }
        try await TestServer.run(answers, configure: { $0.unsentBytes.stallTime = 0 }) { server in
            var deaf: [TestConnection] = []
            for _ in 0..<5 {
                let connection = try await TestConnection.open(port: server.port, autoRead: false)
                connection.send(post("[1]"))
                deaf.append(connection)
                try await eventually("an answer waits") { server.server.load.bytesUnsent > 0 }
                #expect(try await server.send(post("[2]")).body.count == 12 << 20)
                #expect(try await server.send(post("[]")).status == 200)
            }
            for connection in deaf { connection.close() }
            try await eventually("everything given back") { server.server.load.bytesUnsent == 0 }
        }
    }

    @Test func `a large response leaves in slices, and others are answered meanwhile`() async throws {
        let answers = Answers { body, _ in .json(body.readableBytes > 2 ? Self.large : body) }
        try await TestServer.run(answers, configure: { $0.eventLoopThreads = 1 }) { server in
            let connection = try await server.connect()
            connection.send(post("[1]") + post("[]") + post("[1]"))
            #expect(try await server.send(post("[]")).status == 200)
            let first = try await connection.response()
            #expect(first.body.count == 12 << 20)
            #expect(first.body.allSatisfy { $0 == UInt8(ascii: " ") })
            #expect(try await connection.response().text == "[]")
            #expect(try await connection.response().body.count == 12 << 20)
            connection.close()
        }
    }

    @Test func `idle connections make way for a newcomer`() async throws {
        try await TestServer.run(configure: { ($0.maxConnections, $0.maxConnectionsPerAddress) = (20, 10) }) { server in
            var idle: [TestConnection] = []
            for _ in 0..<30 { idle.append(try await server.connect()) }
            #expect(try await server.send(post("[]")).status == 200)
            try await eventually("the first ones are closed") { idle[..<20].allSatisfy { $0.hasEnded } }
            // The connection of the request that was just answered may be closed or not.
            try await eventually("no more than the limit remain") { server.server.load.connections <= 10 }
            #expect(idle[21...].allSatisfy { !$0.hasEnded })
            idle[29].send(post("[29]"))
            #expect(try await idle[29].response().text == "[29]")
            for connection in idle { connection.close() }
        }
    }

    @Test func `a connection with a request makes way for no newcomer`() async throws {
        let gate = Flag()
        let asked = EventRecorder<Int>()
        let answers = Answers { body, _ in
            asked.record(body.readableBytes)
            await Self.wait(for: gate)
            return .json(body)
        }
        try await TestServer.run(
            answers, configure: { ($0.maxConnections, $0.maxConnectionsPerAddress) = (4, 2) }
        ) { server in
            let busy = [try await server.connect(), try await server.connect()]
            for connection in busy { connection.send(post("[1]")) }
            try await eventually("both requests run") { asked.all.count == 2 }
            let third = try await server.connect()
            try await third.ended()
            gate.set()
            for connection in busy {
                #expect(try await connection.response().text == "[1]")
                connection.close()
            }
            third.close()
        }
    }
}
