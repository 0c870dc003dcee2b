import DomainKit
import Glibc
import JSON
import TestPostgres
import TestSupport
import TestWebhook
import Testing

/// kernel.md: "outgoing addresses: https, public networks only, 2 MiB, 10 s", against a stand-in that fails, limits and hangs.
@Suite struct WebhookTests {
    private static func garden(_ receiver: WebhookReceiver) async throws -> OutboxGarden {
        try await OutboxGarden([:], arguments: ["--outgoing-hosts", receiver.host])
    }

    /// Enters a request for a new gardener with this address.
    private static func ping(_ garden: OutboxGarden, _ url: String, _ name: String = "nina") async throws -> JSONValue {
        let id = try await garden.gardener(name)
        _ = try await garden.database.psql(
            """
            INSERT INTO probe.hooks (gardener_id, url) VALUES (\(id.json), '\(url)');
            SELECT kernel.send('gardeners.ping', \(id.json))
            """)
        return id
    }

    private static func answered(_ garden: OutboxGarden, _ answer: String) async throws {
        try await eventually("the domain has the answer") {
            try await garden.database.psql("SELECT hook_answer FROM probe.gardeners") == answer
        }
    }

    @Test func `a request reaches its receiver, and the domain gets the answer`() async throws {
        let receiver = try await WebhookReceiver("ok")
        let garden = try await Self.garden(receiver)
        _ = try await Self.ping(garden, receiver.url)
        try await Self.answered(garden, "message-1")
        let request = try #require(try receiver.requests().first)
        #expect(request.method == "POST")
        #expect(request.path == "/hook")
        #expect(try JSONValue.parse(Array(request.body.utf8)) == ["text": "« Bonjour » nina"])
        #expect(request.key == (try await garden.row("message_id") + ".0"))
        #expect(try receiver.requests().count == 1)
    }

    @Test func `a failure is repeated with the same key, and a pause that the receiver asks for is kept`() async throws
    {
        let receiver = try await WebhookReceiver("fail", "gone", "limit", "ok")
        let garden = try await Self.garden(receiver)
        _ = try await Self.ping(garden, receiver.url)
        try await Self.answered(garden, "message-4")
        let requests = try receiver.requests()
        #expect(requests.map(\.step) == ["fail", "gone", "limit", "ok"])
        #expect(Set(requests.map(\.key)).count == 1)
        #expect(requests[3].time - requests[2].time >= 1.5)
        // The pause is no failure. The answer 500 may have come after the message was taken.
        #expect(try await garden.row("failures, may_repeat") == "2|t")
    }

    @Test func `a receiver that hangs is left after ten seconds, and holds up neither others nor the server`()
        async throws
    {
        let hanging = try await WebhookReceiver("hang")
        let prompt = try await WebhookReceiver("ok")
        let garden = try await OutboxGarden([:], arguments: ["--outgoing-hosts", "\(hanging.host),\(prompt.host)"])
        for index in 1...6 { _ = try await Self.ping(garden, hanging.url, "lent\(index)") }
        try await eventually("it hangs") { try hanging.requests().count == 2 }
        let start = ContinuousClock.now
        _ = try await Self.ping(garden, prompt.url, "vif")
        try await eventually("the other one has it") { try prompt.requests().count == 1 }
        #expect(ContinuousClock.now - start < .seconds(8))
        try await eventually("an attempt is left") {
            try await garden.database.psql("SELECT count(*) FROM kernel.outbox WHERE failures > 0 AND may_repeat")
                != "0"
        }
        let stop = ContinuousClock.now
        #expect(try await garden.garden.server.stop() == 0)
        #expect(ContinuousClock.now - stop < .seconds(10))
    }

    @Test func `a refused content ends it, and a redirect and an answer of 3 MiB are failures`() async throws {
        let refusing = try await WebhookReceiver("refuse")
        let garden = try await Self.garden(refusing)
        _ = try await Self.ping(garden, refusing.url)
        try await eventually("it is given up") { try await garden.row("gave_up_at IS NOT NULL") == "t" }
        #expect(try refusing.requests().count == 1)
        let wrong = try await WebhookReceiver("redirect", "large", "ok")
        let other = try await Self.garden(wrong)
        _ = try await Self.ping(other, wrong.url)
        try await Self.answered(other, "message-3")
        #expect(try wrong.requests().map(\.path) == ["/hook", "/hook", "/hook"])
    }

    @Test func `an address that is not public or not https gets no request, until it is corrected`() async throws {
        let receiver = try await WebhookReceiver("ok")
        let garden = try await OutboxGarden([:])
        _ = try await Self.ping(garden, receiver.url)
        try await eventually("an attempt fails") { try await garden.row("failures > 0") == "t" }
        #expect(try await garden.row("last_error") == "the address does not begin with https://")
        _ = try await garden.database.psql(
            "UPDATE probe.hooks SET url = 'https://127.0.0.1:\(receiver.port)/'")
        try await garden.passTime()
        try await eventually("another attempt fails") {
            try await garden.row("last_error") == "the host has an address that is not public"
        }
        #expect(try receiver.requests().isEmpty)
        #expect(try await garden.row("may_repeat") == "f")
        #expect(!garden.garden.server.process.errors.contains("127.0.0.1:\(receiver.port)"))
    }

    @Test func `a request whose server is killed while it waits for the answer is sent again with the same key`()
        async throws
    {
        let receiver = try await WebhookReceiver("hang", "ok")
        let garden = try await Self.garden(receiver)
        _ = try await Self.ping(garden, receiver.url)
        try await eventually("it waits") { try receiver.requests().count == 1 }
        try await garden.kill()
        let next = try await garden.another(arguments: ["--outgoing-hosts", receiver.host])
        try await garden.passTime()
        try await Self.answered(garden, "message-2")
        #expect(Set(try receiver.requests().map(\.key)).count == 1)
        #expect(try await garden.row("attempts, may_repeat") == "2|t")
        try await next.process.waitForLog("Sending a message again that may have been sent already")
        #expect(try await next.stop() == 0)
    }

    @Test func `a request that had no connection, or whose server was killed before it had one, is not one sent twice`()
        async throws
    {
        let absent = try UnansweringPort(isListening: false)
        let full = try UnansweringPort(isListening: true)
        let receiver = try await WebhookReceiver("ok")
        let hosts = ["--outgoing-hosts", "\(absent.host),\(full.host),\(receiver.host)"]
        let garden = try await OutboxGarden([:], arguments: hosts)
        _ = try await Self.ping(garden, "http://\(absent.host)/hook")
        try await eventually("it is refused") { try await garden.row("failures > 0") == "t" }
        #expect(try await garden.row("cause, may_repeat") == "connection|f")
        _ = try await garden.database.psql("UPDATE probe.hooks SET url = 'http://\(full.host)/hook'")
        try await garden.passTime()
        try await eventually("it waits for a connection") {
            try await garden.row("claimed_until IS NOT NULL AND attempts > 1") == "t"
        }
        try await garden.kill()
        _ = try await garden.database.psql("UPDATE probe.hooks SET url = '\(receiver.url)'")
        let next = try await garden.another(arguments: hosts)
        try await garden.passTime()
        try await Self.answered(garden, "message-1")
        #expect(try await garden.row("may_repeat") == "f")
        #expect(!next.process.errors.contains("may have been sent"))
        #expect(try await next.stop() == 0)
    }
}

/// A port of loopback that answers no attempt to connect, or refuses each.
private final class UnansweringPort {
    private var descriptors: [Int32] = []
    let host: String

    /// - Parameter isListening: whether attempts wait for an answer.
    init(isListening: Bool) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(isBound)
        host = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        guard isListening else { return }
        try #require(listen(listener, 0) == 0)
        // The queue of a listener has one place more than it says; the system drops what comes then.
        for _ in 0..<3 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(client)
            _ = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) }
            }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
