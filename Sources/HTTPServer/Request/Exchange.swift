import NIOCore
import NIOHTTP1

/// One request and what is known about its response. Isolated to its connection's event loop; a class, since it is
/// passed from stage to stage and has many fields.
final class Exchange {
    let requestID: String
    /// The server's part of the trace that the client has named.
    let trace: TraceContext?
    /// nil when no head could be read.
    let head: HTTPRequestHead?
    let headers: RequestHeaders
    /// The request's path when the server has it.
    let path: String?
    private(set) var destination: Routes.Destination
    /// Whether the connection ends with this response.
    var closes: Bool
    private(set) var body = ByteBuffer()
    /// Bytes taken from the budget of received bytes; released with the response. 0 for a small body.
    var reservedBytes = 0
    var bytesReceived = 0
    /// When the request was complete, and when its response must be ready; nil until then.
    private(set) var times: (completed: NIODeadline, deadline: ContinuousClock.Instant)?
    private var admission: Admission?
    /// What the handler noted, once it has responded.
    var record: (any RequestRecord)?

    init(
        requestID: String, head: HTTPRequestHead?, headers: RequestHeaders, route: Routes.Route, closes: Bool
    ) {
        self.requestID = requestID
        self.head = head
        self.headers = headers
        trace = headers.traceParent.flatMap(TraceContext.init)?.child()
        path = route.path
        destination = route.destination
        self.closes = closes
    }

    /// The error of something that was no request.
    convenience init(error: HTTPError, requestID: String) {
        self.init(
            requestID: requestID, head: nil, headers: RequestHeaders([:]),
            route: Routes.Route(path: nil, destination: .error(error)), closes: true)
    }

    func refuse(_ error: HTTPError, closing: Bool) {
        destination = .error(error)
        closes = closes || closing
        body = ByteBuffer()
    }

    /// Whether the sender is known; decided once.
    func admission(_ handler: any RequestHandler) -> Admission {
        if let admission { return admission }
        let decided = handler.admission(of: headers.authorization)
        admission = decided
        return decided
    }

    /// How the body of the response is prepared for the client.
    func encoding(_ configuration: HTTPConfiguration, _ allocator: ByteBufferAllocator) -> BodyEncoding {
        BodyEncoding(
            minCompressedBytes: configuration.minCompressedBytes,
            acceptsGzip: headers.acceptsGzip && head?.method != .HEAD && head?.version != .http1_0,
            allocator: allocator)
    }

    /// - Parameter limit: how long the response may take.
    func complete(respondingWithin limit: Duration) {
        times = (.now(), .now + limit)
    }

    /// Appends a part of the body.
    ///
    /// A body that comes in one part is kept as it came, unless it is so small that the buffer it was received in had
    /// better serve the next read. All parts of any other body are copied, because the buffer of a part may be far larger
    /// than the part, and it may be long before the rest of the body arrives.
    func append(_ part: ByteBuffer) {
        var part = part
        if body.capacity == 0, part.readableBytes > 1_024, headers.contentLength == part.readableBytes {
            body = part
            return
        }
        let needed = body.readableBytes + part.readableBytes
        if body.writableBytes < part.readableBytes {
            // Doubling keeps a client that sends many small parts from causing a copy of the whole body for each.
            body.reserveCapacity(max(needed, min(headers.contentLength ?? .max, 2 * needed)))
        }
        body.writeBuffer(&part)
    }

    /// The memory of the body, in bytes.
    var heldBytes: Int { body.capacity }
}
