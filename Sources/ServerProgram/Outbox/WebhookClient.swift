import DomainKit
import JSON
import Outbox
import OutgoingHTTP
import RPCServer

/// Sends the requests of the outbox.
final class WebhookClient: Sendable {
    private static let longestPause = 3_600.0

    private let client: OutgoingHTTPClient
    private let gate = HostGate()

    init(_ hosts: OutgoingHosts) { client = OutgoingHTTPClient(hosts) }

    func abort() { client.abort() }

    /// - Parameters:
    ///   - hosts: those that it may leave to, beside those that the settings name; empty for any.
    ///   - trace: the value of `traceparent`.
    ///   - departing: called when there is a connection; false: nothing is sent.
    ///   - accepted: the answers that say that it has left, beside those with a status from 200 to 299.
    /// - Returns: the status of the answer, its body if it is JSON, and the body that was sent.
    func send(
        _ method: String, _ url: String, among hosts: Set<String>, _ headers: [String: String], _ body: JSONValue,
        accepting accepted: [Message.Answer], id: String, trace: String?,
        departing: @escaping @Sendable () async -> Bool
    ) async throws(DeliveryError) -> JSONValue {
        let target: OutgoingHosts.Target
        do throws(OutgoingRequestError) {
            target = try client.hosts.target(url, among: hosts)
        } catch {
            // An administrator may correct the address: the next attempt reads it again.
            throw DeliveryError(.transient, .settings, error.description)
        }
        try gate.enter(target.host)
        defer { gate.leave(target.host) }
        let all =
            [("Content-Type", "application/json"), ("User-Agent", "LearnTrack"), ("Idempotency-Key", id)]
            + (trace.map { [("traceparent", $0)] } ?? [])
            + headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let response: OutgoingResponse
        do throws(OutgoingRequestError) {
            response = try await client.send(
                method, to: target, headers: all, body: Array(body.jsonText.utf8), departing: departing)
        } catch {
            let cause: FailureCause =
                switch error.kind {
                case .refused: .settings
                case .notSent, .lost: .connection
                case .aborted: .interruption
                }
            throw DeliveryError(
                .transient, cause, isUnclear: error.kind == .lost || error.kind == .aborted, error.description)
        }
        let answer = Self.json(response.body)
        if (200..<300).contains(response.status) || accepted.contains(where: { $0.matches(response.status, answer) }) {
            return ["status": .number(String(response.status)), "body": answer, "sent": body]
        }
        switch response.status {
        case 429:
            let pause = Self.pause(response, answer)
            gate.pause(target.host, for: pause)
            throw DeliveryError(.deferred(pause), nil, "the host limits requests (429)")
        // The content is refused: the same one will be refused again.
        case 400, 413, 415, 422: throw DeliveryError(.permanent, .message, "the answer was \(response.status)")
        // Another address, or another state of the host, may be accepted.
        case 500..<600:
            throw DeliveryError(.transient, .server, isUnclear: true, "the answer was \(response.status)")
        default: throw DeliveryError(.transient, .server, "the answer was \(response.status)")
        }
    }

    /// As a member `retry_after` of the answer, or else the header, says; at least a tenth of a second.
    private static func pause(_ response: OutgoingResponse, _ answer: JSONValue) -> Duration {
        var seconds = Double(response.retryAfter ?? 1)
        if case .number(let digits)? = answer["retry_after"], let given = Double(digits) { seconds = given }
        return .seconds(min(longestPause, max(0.1, seconds)))
    }

    private static func json(_ body: [UInt8]) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.read(String(decoding: body, as: UTF8.self)).value
        } catch {
            return .null
        }
    }
}
