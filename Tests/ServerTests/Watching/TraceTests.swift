import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import TestWebhook
import Testing

@Suite struct TraceTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test func `a call's trace is in its log line and continues in the request that follows from it`() async throws {
        let receiver = try await WebhookReceiver("ok")
        let garden = try await OutboxGarden(
            [:], arguments: ["--outgoing-hosts", receiver.host, "--log-format", "json"])
        let id = try await garden.gardener("nina")
        _ = try await garden.database.psql(
            """
            INSERT INTO probe.hooks (gardener_id, url) VALUES (\(id.json), '\(receiver.url)');
            CREATE FUNCTION probe.ping_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN PERFORM kernel.send('gardeners.ping', NEW.id); RETURN NULL; END
            $$;
            CREATE TRIGGER ping_again AFTER UPDATE ON probe.gardeners FOR EACH ROW
                WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION probe.ping_again()
            """)
        let server = garden.garden.server
        let token = try #require(try await garden.coordinator().token)
        func rename(_ name: String, _ headers: [(String, String)]) async throws {
            let body = """
                {"jsonrpc":"2.0","id":1,"method":"gardeners.update",
                "params":{"id":\(id.json),"values":{"name":"\(name)"},"select":"{ id }"}}
                """
            let answer = try await server.connection().request(
                "POST", "/rpc", headers: [("Authorization", "Bearer \(token)")] + headers, body: Array(body.utf8))
            #expect(answer.text.contains("result"), "\(answer.text)")
        }
        try await rename(
            "otto", [("traceparent", "00-\(Self.trace)-\(Self.span)-01"), ("X-Request-Id", "a-traced-one")])
        try await eventually("the request has come") { try receiver.requests().count == 1 }
        let passed = try #require(try receiver.requests().first?.trace).split(separator: "-").map(String.init)
        #expect(passed.count == 4 && passed[0] == "00" && passed[1] == Self.trace && passed[3] == "01", "\(passed)")

        var line: JSONValue?
        var sent: JSONValue?
        try await eventually("both are logged") {
            let lines = try server.process.errors.split(separator: "\n").map { try JSONReader.read(String($0)).value }
            line = lines.first { $0["request_id"] == "a-traced-one" }
            sent = lines.first { $0["message"] == "Sent a message" && $0["kind"] == "gardeners.ping" }
            return line != nil && sent != nil
        }
        #expect(line?["trace_id"]?.text == Self.trace)
        #expect(line?["span_id"]?.text == passed[2], "the call is the parent of the request")
        #expect(line?["span_id"]?.text != Self.span)
        #expect(sent?["trace_id"]?.text == Self.trace)
        #expect(sent?["message_id"] != nil && sent?["message_"] == nil)

        try await rename("emil", [("traceparent", "00-\(Self.trace)-\(Self.span)-zz")])
        try await eventually("another request has come") { try receiver.requests().count == 2 }
        #expect(try receiver.requests().last?.trace == "")
        #expect(try await server.stop() == 0)
    }
}
