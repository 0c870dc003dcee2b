package import NIOCore
package import NIOHTTP1

/// Answers the bodies that are sent to `POST /rpc`, and writes the bodies of HTTP errors in the same format.
package protocol RequestHandler: Sendable {
    /// Answers one request.
    ///
    /// Runs on the connection's event loop, so it must not block; long computations belong on the context's
    /// ``RequestContext/offLoop``. The task is cancelled when the client disconnects.
    func respond(to body: ByteBuffer, _ context: RequestContext) async -> HandlerResponse

    /// Whether the caller is known, decided without waiting and before the request's body has been received.
    ///
    /// Asked only for bodies and responses that are large enough to be counted.
    /// - Parameter authorization: the value of the `Authorization` header.
    func admission(of authorization: String?) -> Admission

    /// The body, as `application/json`, of a response to a request that the HTTP server turned away by itself.
    func errorBody(_ error: HTTPError, requestID: String) -> ByteBuffer
}

/// How much of a server's memory the sender of a request may use.
package enum Admission: Sendable, Hashable {
    /// The request carries a valid access token.
    case authenticated
    /// It carries none. The reason is a word that programs compare.
    case anonymous(reason: String)
}

/// The response of a ``RequestHandler``.
package struct HandlerResponse: Sendable {
    /// The body, sent with status 200 as `application/json`; nil for 204 without a body.
    package let body: ByteBuffer?
    /// Where the request is to be sent in place of here, for good: the status is then 308. Nil: it was answered here.
    package let location: String?
    /// What log and metrics have to know about the request.
    package let record: (any RequestRecord)?

    /// The value of `Retry-After`, in seconds; nil leaves the header out.
    package let retryAfter: Int?
    /// The value of `Server-Timing`; nil leaves the header out.
    package let serverTiming: String?
    /// The value of `Set-Cookie`; nil leaves the header out.
    package let setCookie: String?

    package init(
        body: ByteBuffer?, record: (any RequestRecord)? = nil, location: String? = nil, retryAfter: Int? = nil,
        serverTiming: String? = nil, setCookie: String? = nil
    ) {
        self.body = body
        self.location = location
        self.record = record
        self.retryAfter = retryAfter
        self.serverTiming = serverTiming
        self.setCookie = setCookie
    }
}

/// What a handler noted about one request. The HTTP server hands it from the handler to the observers and
/// uses only what is logged.
package protocol RequestRecord: AnyObject, Sendable {
    /// The calls of the request, in their order.
    var loggedCalls: [LoggedCall] { get }
    /// The id of the account that sent the request; nil leaves the field out.
    var account: Int64? { get }
}

extension RequestRecord {
    package var account: Int64? { nil }
}

/// A call as the log has it.
package struct LoggedCall: Sendable, Hashable {
    package let method: String
    /// 0 if it succeeded.
    package let code: Int
    package let nanoseconds: Int64

    package init(method: String, code: Int, nanoseconds: Int64) {
        self.method = method
        self.code = code
        self.nanoseconds = nanoseconds
    }
}

extension RequestContext {
    /// Whether the client follows an answer that sends it to another server. A script of a page may not read where that is: it is
    /// answered here.
    package var sendsOn: Bool {
        guard let mode = headers.first(name: "Sec-Fetch-Mode") else { return true }
        return mode == "navigate"
    }
}

/// What a handler is given of a request besides its body.
package struct RequestContext: Sendable {
    /// The client's `X-Request-Id` when it is valid, otherwise a generated one. It needs no escaping in JSON or headers.
    package let requestID: String
    /// The value of the `Authorization` header.
    package let authorization: String?
    package let userAgent: String?
    /// All headers, for what few requests need.
    package let headers: HTTPHeaders
    /// Whether the request came over TLS; false for one from a proxy that does TLS.
    package let isSecure: Bool
    /// The client's IP address without a port; nil on a Unix domain socket.
    package let remoteAddress: String?
    /// Whether a trusted proxy sent the request and does not say who its client is: `remoteAddress` is the proxy's.
    package let hidesClient: Bool
    /// The server's part of the trace that the client has named; nil without one.
    package let trace: TraceContext?
    /// When the response must be ready, counted from the moment the request was complete.
    package let deadline: ContinuousClock.Instant
    /// Allocates the response's body.
    package let allocator: ByteBufferAllocator
    /// Runs what would take an event loop long; nil where there is no event loop.
    package let offLoop: (any TaskExecutor)?

    package init(
        requestID: String, headers: HTTPHeaders = [:], remoteAddress: String? = nil, trace: TraceContext? = nil,
        deadline: ContinuousClock.Instant = .now + .seconds(10), allocator: ByteBufferAllocator = .init(),
        offLoop: (any TaskExecutor)? = nil
    ) {
        self.init(
            requestID: requestID, RequestHeaders(headers), of: headers, isSecure: false, remoteAddress: remoteAddress,
            hidesClient: false, trace: trace, deadline: deadline, allocator: allocator, offLoop: offLoop)
    }

    init(
        requestID: String, _ known: RequestHeaders, of headers: HTTPHeaders, isSecure: Bool, remoteAddress: String?,
        hidesClient: Bool, trace: TraceContext?, deadline: ContinuousClock.Instant, allocator: ByteBufferAllocator,
        offLoop: (any TaskExecutor)?
    ) {
        self.requestID = requestID
        authorization = known.authorization
        userAgent = known.userAgent
        self.headers = headers
        self.isSecure = isSecure
        self.remoteAddress = remoteAddress
        self.hidesClient = hidesClient
        self.trace = trace
        self.deadline = deadline
        self.allocator = allocator
        self.offLoop = offLoop
    }
}
