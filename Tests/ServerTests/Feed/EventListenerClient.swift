import DomainKit
import Foundation
import JSON
import TestSupport

/// A client of `GET /events` that reads the text of server-sent events by itself.
final class EventListenerClient: Sendable {
    struct Event: Sendable, Equatable {
        var name = "message"
        var id: String?
        var data = ""

        /// The record and the operation of a change: `sessions 12 update 3`.
        var change: String {
            get throws {
                let value = try JSONValue.parse(Array(data.utf8))
                let version = value["version"]?.int.map { " \($0)" } ?? ""
                return "\(value["table"]?.text ?? "") \(value["id"]?.int ?? 0) \(value["op"]?.text ?? "")\(version)"
            }
        }
    }

    let http: HTTPConnection
    let head: HTTPConnection.Response

    private init(_ http: HTTPConnection, _ head: HTTPConnection.Response) {
        self.http = http
        self.head = head
    }

    /// - Parameter lastID: the `Last-Event-ID` of a client that connects again.
    static func listen(
        _ server: TestServer, as email: String = TestServer.admin, token: String? = nil, query: String = "",
        lastID: String? = nil, readsSlowly: Bool = false
    ) async throws -> EventListenerClient {
        let token = if let token { token } else { try await server.client(email).token ?? "" }
        return try await listen(
            on: server.connection(), token: token, query: query, lastID: lastID, readsSlowly: readsSlowly)
    }

    /// - Parameter http: a connection to a server, or to a proxy before it.
    static func listen(
        on http: HTTPConnection, token: String, query: String = "", lastID: String? = nil, readsSlowly: Bool = false
    ) async throws -> EventListenerClient {
        if readsSlowly { http.limitReceiveBuffer() }
        var headers = [("Authorization", "Bearer \(token)"), ("Accept", "text/event-stream")]
        if let lastID { headers.append(("Last-Event-ID", lastID)) }
        let head = try await http.request("GET", "/events\(query)", headers: headers)
        guard head.status == 200 else { throw TestEnvironmentError("HTTP \(head.status)") }
        return EventListenerClient(http, head)
    }

    /// The next event, comments and mere positions left out; nil when the stream has ended.
    func next() async throws -> Event? {
        while let text = try await http.receive(upTo: "\n\n") {
            var event = Event()
            var hasData = false
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
                switch parts[0] {
                case "event": event.name = value
                case "id": event.id = value
                case "data":
                    event.data += value
                    hasData = true
                default: break
                }
            }
            if hasData { return event }
        }
        return nil
    }

    /// The next event, which must be there.
    func event() async throws -> Event {
        guard let event = try await next() else { throw TestEnvironmentError("the stream has ended") }
        return event
    }

    /// The changes that come next, with the position after them.
    func changes(_ count: Int) async throws -> (texts: [String], lastID: String) {
        var texts: [String] = []
        var lastID = ""
        while texts.count < count {
            let event = try await event()
            guard event.name == "change" else { throw TestEnvironmentError("no change: \(event)") }
            texts.append(try event.change)
            lastID = event.id ?? ""
        }
        return (texts, lastID)
    }
}
