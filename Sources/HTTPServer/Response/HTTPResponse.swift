package import NIOCore
package import NIOHTTP1

/// Takes the listener of a stream of events that begins, and returns what is called when the stream has ended.
package typealias EventStreamBeginning = @Sendable (EventListener) -> @Sendable () -> Void

/// A response before its head is written.
package struct HTTPResponse: Sendable {
    package var status: HTTPResponseStatus
    /// nil where there is no body.
    package var contentType: String?
    package var body: ByteBuffer
    /// Names and values as they are sent; they must not contain text of a client.
    package var headers: [(name: String, value: String)]
    /// Whether the body may be sent compressed. False for a body that a strong `ETag` stands for, byte for byte.
    package var isCompressible = true
    /// What log and metrics have to know about the request.
    package var record: (any RequestRecord)?
    /// Begins the stream of events that is the body; nil for a body that is complete.
    var stream: EventStreamBeginning?
    /// Where the compressed body is kept; nil for a body that is sent once.
    package var cachedGzip: CachedGzip?
    /// The parts of the body that follow `body`.
    var furtherPieces: [ByteBuffer] = []
    /// Whether a ``BodyEncoding`` has prepared the body. It then has set the next two.
    var isEncoded = false
    var isGzip = false
    var variesByEncoding = false

    package init(
        status: HTTPResponseStatus = .ok, contentType: String? = nil, body: ByteBuffer = ByteBuffer(),
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.headers = headers
    }

    package static func text(_ text: String, status: HTTPResponseStatus = .ok, contentType: String) -> HTTPResponse {
        HTTPResponse(status: status, contentType: contentType, body: ByteBuffer(string: text))
    }

    static func json(_ body: ByteBuffer) -> HTTPResponse {
        HTTPResponse(contentType: "application/json", body: body)
    }

    /// The bytes of memory that the body takes: a buffer that has grown has more than its content.
    var heldBytes: Int {
        ([body] + furtherPieces).reduce(0) { $0 + ($1.readableBytes > 0 ? $1.storageCapacity : 0) }
    }

    /// The number of bytes of the body.
    var length: Int { furtherPieces.reduce(body.readableBytes) { $0 + $1.readableBytes } }

    /// A stream of events.
    /// - Parameter begin: called on the connection's event loop when the head has been written. It returns what is called,
    ///   on the event loop too, when the stream has ended, and must not block.
    package static func events(_ begin: @escaping EventStreamBeginning) -> HTTPResponse {
        var response = HTTPResponse(
            contentType: "text/event-stream; charset=utf-8",
            headers: [
                (name: "Cache-Control", value: "no-store"),
                // Otherwise nginx holds events back until its buffer is full.
                (name: "X-Accel-Buffering", value: "no"),
            ])
        response.stream = begin
        return response
    }

    static let noContent = HTTPResponse(status: .noContent)
}
