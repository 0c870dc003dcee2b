import JSON
import NIOCore
package import NIOHTTP1

/// A path beside `/rpc`, or every path below one.
package struct Endpoint: Sendable {
    /// Answers a request. Runs on the connection's event loop, so it must not block. The task is cancelled when the client
    /// disconnects. The response may be ``HTTPResponse/events(_:)``.
    package typealias Responder = @Sendable (EndpointRequest) async -> HTTPResponse

    enum Content: Sendable {
        /// Always the same response; compressed once.
        case fixed(HTTPResponse)
        /// - bodyBytes: the longest body that is taken; nil: a body is ignored.
        case responder(Responder, bodyBytes: Int?)
    }

    /// A path such as `/metrics`; one that ends in a slash, such as `/documents/`, has every path below it; in one with
    /// `{id}`, that stands for the number of a record. Logs and metrics name this path, not the one that was requested.
    package let path: String
    /// What is below a path that ends in a slash; nil: everything.
    package var subpaths: Set<String>?
    /// The methods of HTTP that the endpoint answers.
    let methods: [HTTPMethod]
    let content: Content
    /// Whether only programs on this machine have this endpoint: for all other clients, and behind a proxy, there is no such
    /// path.
    package var isLocal = false
    /// The hosts of requests that have this endpoint; nil: all.
    package var hosts: LocalHosts?

    package init(_ path: String, fixed response: HTTPResponse) {
        var response = response
        response.cachedGzip = CachedGzip()
        self.path = path
        methods = [.GET, .HEAD]
        content = .fixed(response)
    }

    /// What stands for all paths that the server does not have.
    static let missingPath = ""

    /// What a browser gets, with 404, when a person opens an address that the server does not have. Programs get an error
    /// object there.
    package static func missing(_ page: HTTPResponse) -> Endpoint {
        var page = page
        page.status = .notFound
        return Endpoint(missingPath, fixed: page)
    }

    /// Whether there is this path below that of the endpoint.
    func has(_ subpath: Substring) -> Bool { subpaths?.contains(String(subpath)) ?? true }

    /// - Parameters:
    ///   - methods: the methods of HTTP that it answers.
    ///   - bodyBytes: how many bytes the longest body has that is taken; nil: a body is ignored. A body above 64 KiB needs a
    ///     valid access token, as the bodies of calls do.
    package init(
        _ path: String, methods: [HTTPMethod] = [.GET, .HEAD], bodyBytes: Int? = nil, _ responder: @escaping Responder
    ) {
        self.path = path
        self.methods = methods
        content = .responder(responder, bodyBytes: bodyBytes)
    }
}

/// Whether the server can serve requests.
package enum Readiness: Sendable, Equatable {
    case ready
    /// The reason is part of the response, so it must not contain secrets.
    case notReady(String)
}

extension Endpoint {
    /// `GET /metrics`: Prometheus's text format.
    package static func metrics(_ text: @escaping @Sendable () async -> String) -> Endpoint {
        Endpoint("/metrics") { _ in
            var response = HTTPResponse.text(await text(), contentType: "text/plain; version=0.0.4; charset=utf-8")
            response.headers.append((name: "Cache-Control", value: "no-store"))
            return response
        }
    }

    /// `GET /health/live`: 200 as long as the process serves.
    package static let live = Endpoint("/health/live", fixed: .health(.ok, Array("{\"status\":\"ok\"}".utf8)))

    /// `GET /health/ready`: 200 or 503 according to `check`, and 503 when `check` takes longer than `deadline`.
    package static func ready(
        deadline: Duration = .seconds(2), _ check: @escaping @Sendable () async -> Readiness
    ) -> Endpoint {
        Endpoint("/health/ready") { _ in
            switch await firstValue(of: check, orAfter: deadline, .notReady("timeout")) {
            case .ready: return .health(.ok, Array("{\"status\":\"ok\"}".utf8))
            case .notReady(let reason):
                var body: [UInt8] = []
                body.append("{\"status\":\"unavailable\",\"reason\":")
                body.appendJSONString(reason)
                body.append("}")
                return .health(.serviceUnavailable, body)
            }
        }
    }
}

extension HTTPResponse {
    fileprivate static func health(_ status: HTTPResponseStatus, _ json: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "application/json", body: ByteBuffer(bytes: json),
            headers: [(name: "Cache-Control", value: "no-store")])
    }
}

/// The value of `operation`, or `fallback` when it takes longer than `deadline`. Does not wait for an operation that
/// ignores its cancellation, as a task group would.
private func firstValue<Value: Sendable>(
    of operation: @escaping @Sendable () async -> Value, orAfter deadline: Duration, _ fallback: Value
) async -> Value {
    let first = FirstValue<Value>()
    let work = Task { first.set(await operation()) }
    let timer = Task {
        // Sleeping fails only when it is cancelled, and then there is a value.
        do { try await Task.sleep(for: deadline) } catch { return }
        first.set(fallback)
    }
    let value = await withCheckedContinuation { first.resume($0) }
    work.cancel()
    timer.cancel()
    return value
}
