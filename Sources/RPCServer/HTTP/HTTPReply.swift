package import NIOCore
package import NIOHTTP1

/// A response before it is put into bytes.
package struct HTTPReply: Sendable {
    package var status: HTTPResponseStatus
    /// nil where there is no body.
    package var contentType: String?
    package var body: ByteBuffer
    /// Names and values as they go on the wire: never anything a client sent.
    package var headers: [(name: String, value: String)]
    /// Where the compressed body is kept; nil for a reply that is given once.
    var compression: KeptCompression?

    package init(
        status: HTTPResponseStatus = .ok, contentType: String? = nil, body: ByteBuffer = ByteBuffer(),
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.headers = headers
    }

    package static func text(_ text: String, status: HTTPResponseStatus = .ok, contentType: String) -> HTTPReply {
        HTTPReply(status: status, contentType: contentType, body: ByteBuffer(string: text))
    }

    static func json(_ body: ByteBuffer) -> HTTPReply {
        HTTPReply(contentType: "application/json", body: body)
    }

    static let noContent = HTTPReply(status: .noContent)
}
