import NIOCore

/// What a ``ConnectionHandler`` writes to a stream of HTTP/2. To a socket it writes bytes.
enum StreamOutput: Sendable {
    /// `100 Continue`.
    case informational
    /// The head of the response.
    /// - bodyBytes: how many bytes of body follow; nil: they end with the output.
    case head(status: Int, fields: [(name: String, value: String)], bodyBytes: Int?)
    /// A part of the body.
    case bytes(ByteBuffer)
}
