/// One HTTP request and what became of it: the only source of access log and metrics. Holds nothing of bodies, tokens
/// or parameters.
package struct RequestEvent: Sendable {
    package var requestID: String
    /// The HTTP method, or `-` when the request could not be read.
    package var httpMethod: String
    /// The path when the server knows it, else nil: what clients make up never becomes a label.
    package var path: String?
    /// The response's status; 499 when the client had gone before there was one.
    package var status: Int
    /// The calls in the body, as far as they were reported.
    package var calls: [CallReport]
    /// From the request being complete to its response being handed to the socket.
    package var nanoseconds: Int64
    package var bytesReceived: Int
    package var bytesSent: Int
    package var remoteAddress: String?

    /// nginx's number for a client that did not wait.
    package static let clientGone = 499
}

/// Gets to know each request once, on an event loop: must be quick and not block.
package protocol RequestObserver: Sendable {
    func observe(_ event: RequestEvent)
}
