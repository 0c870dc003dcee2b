/// One HTTP request and its outcome: the only source of access log and metrics. Holds no body, token or parameter.
package struct RequestEvent: Sendable {
    package var requestID: String
    /// The HTTP method, or `-` when the request could not be read.
    package var httpMethod: String
    /// The path when the server has it, otherwise nil, so that no text of a client becomes a label.
    package var path: String?
    /// The response's status; ``clientGone`` when the client had disconnected before there was one.
    package var status: Int
    /// What the handler noted; nil when the request did not get to it.
    package var record: (any RequestRecord)?
    /// From the complete request to the response being written.
    package var nanoseconds: Int64
    package var bytesReceived: Int
    package var bytesSent: Int
    /// The IP address of the connection's other end.
    package var remoteAddress: String?
    /// The server's part of the trace that the client has named.
    package var trace: TraceContext?

    package init(
        requestID: String, httpMethod: String, path: String?, status: Int, record: (any RequestRecord)? = nil,
        nanoseconds: Int64, bytesReceived: Int, bytesSent: Int, remoteAddress: String?,
        trace: TraceContext? = nil
    ) {
        self.requestID = requestID
        self.httpMethod = httpMethod
        self.path = path
        self.status = status
        self.record = record
        self.nanoseconds = nanoseconds
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
        self.remoteAddress = remoteAddress
        self.trace = trace
    }

    /// The status that nginx logs for a client that disconnected early.
    package static let clientGone = 499
}

/// Receives one event per request. Called on an event loop, so it must not block.
package protocol RequestObserver: Sendable {
    func observe(_ event: RequestEvent)
}
