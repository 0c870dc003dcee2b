import Auth
import DomainKit
package import HTTPServer
package import NIOCore
package import NIOHTTP1

/// What a call is given of the HTTP request that it came in.
package struct CallContext: Sendable {
    private let request: RequestContext
    private let record: CallRecord
    /// Whether the call is one of a batch.
    package private(set) var isInBatch = false

    package init(_ request: RequestContext, record: CallRecord) {
        self.request = request
        self.record = record
    }

    package init(
        requestID: String, headers: HTTPHeaders = [:], remoteAddress: String? = nil, trace: TraceContext? = nil,
        deadline: ContinuousClock.Instant = .now + .seconds(10), record: CallRecord = CallRecord()
    ) {
        self.init(
            RequestContext(
                requestID: requestID, headers: headers, remoteAddress: remoteAddress, trace: trace, deadline: deadline),
            record: record)
    }

    package var requestID: String { request.requestID }
    package var remoteAddress: String? { request.remoteAddress }
    package var trace: TraceContext? { request.trace }
    package var deadline: ContinuousClock.Instant { request.deadline }
    package var allocator: ByteBufferAllocator { request.allocator }
    /// Runs computations that are too long for an event loop; nil where there is no event loop.
    package var offLoop: (any TaskExecutor)? { request.offLoop }
    package var authorization: String? { request.authorization }
    package var userAgent: String? { request.userAgent }

    /// The HTTP request, for what its headers say about the browser that has sent it.
    package var http: RequestContext { request }

    /// The values of the `Cookie` headers: HTTP/2 may have one for each cookie.
    package var cookies: [String] { request.headers["Cookie"] }

    /// The context of the calls of a batch.
    var ofBatch: CallContext {
        var context = self
        context.isInBatch = true
        return context
    }

    /// Gives the HTTP response a `Set-Cookie` header.
    package func set(cookie header: String) {
        record.set(cookie: header)
    }

    /// Names the account that makes the calls, for the log.
    func note(_ caller: Caller) {
        record.note(account: caller.user.accountID, isAdministrator: caller.user.role == Role.admin.name)
    }

    /// Reports the outcome of a call to log and metrics: once per call, notifications included.
    package func report(_ call: CallReport) {
        record.add(call)
    }
}
