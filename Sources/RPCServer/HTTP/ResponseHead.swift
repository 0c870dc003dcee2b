import NIOCore
import NIOHTTP1

/// What a response's head says besides what its reply brings.
struct ResponseHead {
    var requestID: String
    var dateHeader: [UInt8]
    /// nil leaves out `Connection`, which HTTP/1.1 takes for staying open.
    var connection: StaticString?
    var allowedOrigin: String?
    /// Whether the answer depends on the origin that asked.
    var variesByOrigin: Bool
    var variesByEncoding: Bool
    var isGzip: Bool
}

extension ByteBuffer {
    /// Writes a response's head up to and including the empty line.
    mutating func writeResponseHead(of reply: HTTPReply, _ head: ResponseHead) {
        if reply.status == .ok {
            writeStaticString("HTTP/1.1 200 OK\r\n")
        } else {
            writeString("HTTP/1.1 \(reply.status.code) \(reply.status.reasonPhrase)\r\n")
        }
        if let contentType = reply.contentType {
            writeStaticString("Content-Type: ")
            writeString(contentType)
            writeStaticString("\r\n")
        }
        if reply.status.mayHaveResponseBody {
            writeStaticString("Content-Length: ")
            writeString(String(reply.body.readableBytes))
            writeStaticString("\r\n")
        }
        writeBytes(head.dateHeader)
        writeStaticString("X-Request-Id: ")
        writeString(head.requestID)
        writeStaticString("\r\n")
        if let connection = head.connection {
            writeStaticString("Connection: ")
            writeStaticString(connection)
            writeStaticString("\r\n")
        }
        if head.isGzip { writeStaticString("Content-Encoding: gzip\r\n") }
        if head.variesByEncoding { writeStaticString("Vary: Accept-Encoding\r\n") }
        if head.variesByOrigin { writeStaticString("Vary: Origin\r\n") }
        if let origin = head.allowedOrigin {
            writeStaticString("Access-Control-Allow-Origin: ")
            writeString(origin)
            writeStaticString("\r\nAccess-Control-Expose-Headers: X-Request-Id\r\n")
        }
        for (name, value) in reply.headers { writeString("\(name): \(value)\r\n") }
        writeStaticString("\r\n")
    }
}
