import NIOCore
import NIOHTTP1

/// What a response's head contains besides what the response itself brings.
struct ResponseHead {
    let requestID: String
    let dateHeader: [UInt8]
    /// The value of `Connection`; nil leaves the header out, which in HTTP/1.1 keeps the connection open.
    let connection: StaticString?
    let allowedOrigin: String?
    let variesByOrigin: Bool
    /// Whether the connection is one over TLS.
    let isSecure: Bool

    /// A year, in seconds: browsers then use no plain HTTP. Other names of the domain are not the server's to decide on.
    static let strictTransportSecurity: StaticString = "max-age=31536000"

    /// The fields of the head in HTTP/2: those of HTTP/1 without `Connection`.
    func fields(of response: HTTPResponse) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(10 + response.headers.count)
        if let contentType = response.contentType { fields.append((name: "content-type", value: contentType)) }
        if response.status.mayHaveResponseBody, response.stream == nil {
            fields.append((name: "content-length", value: String(response.length)))
        }
        fields.append((name: "date", value: String(decoding: dateHeader.dropFirst(6).dropLast(2), as: UTF8.self)))
        fields.append((name: "x-request-id", value: requestID))
        fields.append((name: "x-content-type-options", value: "nosniff"))
        if isSecure { fields.append((name: "strict-transport-security", value: "\(Self.strictTransportSecurity)")) }
        if response.isGzip { fields.append((name: "content-encoding", value: "gzip")) }
        if response.variesByEncoding { fields.append((name: "vary", value: "Accept-Encoding")) }
        if variesByOrigin { fields.append((name: "vary", value: "Origin")) }
        if let allowedOrigin {
            fields.append((name: "access-control-allow-origin", value: allowedOrigin))
            fields.append((name: "access-control-expose-headers", value: "X-Request-Id"))
        }
        return fields + response.headers
    }
}

extension ByteBuffer {
    /// Writes a response's head, the empty line included.
    mutating func writeHead(of response: HTTPResponse, _ head: ResponseHead) {
        if response.status == .ok {
            writeStaticString("HTTP/1.1 200 OK\r\n")
        } else {
            writeString("HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n")
        }
        if let contentType = response.contentType {
            writeStaticString("Content-Type: ")
            writeString(contentType)
            writeStaticString("\r\n")
        }
        if response.status.mayHaveResponseBody, response.stream == nil {
            writeStaticString("Content-Length: ")
            writeString(String(response.length))
            writeStaticString("\r\n")
        }
        writeBytes(head.dateHeader)
        writeStaticString("X-Request-Id: ")
        writeString(head.requestID)
        // Without it a browser may take JSON that contains markup for a page.
        writeStaticString("\r\nX-Content-Type-Options: nosniff\r\n")
        if head.isSecure {
            writeStaticString("Strict-Transport-Security: ")
            writeStaticString(ResponseHead.strictTransportSecurity)
            writeStaticString("\r\n")
        }
        if let connection = head.connection {
            writeStaticString("Connection: ")
            writeStaticString(connection)
            writeStaticString("\r\n")
        }
        if response.isGzip { writeStaticString("Content-Encoding: gzip\r\n") }
        if response.variesByEncoding { writeStaticString("Vary: Accept-Encoding\r\n") }
        if head.variesByOrigin { writeStaticString("Vary: Origin\r\n") }
        if let origin = head.allowedOrigin {
            writeStaticString("Access-Control-Allow-Origin: ")
            writeString(origin)
            writeStaticString("\r\nAccess-Control-Expose-Headers: X-Request-Id\r\n")
        }
        for (name, value) in response.headers { writeString("\(name): \(value)\r\n") }
        writeStaticString("\r\n")
    }
}
