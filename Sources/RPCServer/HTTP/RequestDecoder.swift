import NIOCore
import NIOHTTP1

/// NIO's parser, which knows the registered HTTP methods only. A request with another one is a request all the same,
/// and not nonsense: it is told apart here, where its line still stands in the buffer.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let parser: HTTPRequestDecoder

    init(_ limits: NIOHTTPDecoderLimitConfiguration) {
        parser = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
    }

    /// A request with a method that the parser does not know.
    struct UnknownMethod: Error {
        let head: HTTPRequestHead
    }

    func decoderAdded(context: ChannelHandlerContext) { parser.decoderAdded(context: context) }
    func decoderRemoved(context: ChannelHandlerContext) { parser.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let seen = buffer
        do {
            return try parser.decode(context: context, buffer: &buffer)
        } catch HTTPParserError.invalidMethod {
            throw Self.head(at: seen.readableBytesView).map(UnknownMethod.init) ?? HTTPParserError.invalidMethod
        }
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        try parser.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    /// `PURGE /rpc HTTP/1.1`: the first line among `bytes` that has such a method. Requests that the parser has read
    /// before it may stand in front, and the body of one right before the name.
    private static func head(at bytes: ByteBufferView) -> HTTPRequestHead? {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")) {
            if let head = head(of: rest[..<end]) { return head }
            rest = rest[rest.index(after: end)...]
        }
        return nil
    }

    private static func head(of line: ByteBufferView) -> HTTPRequestHead? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).suffix(3)
        guard words.count == 3, let last = words.last,
            last.elementsEqual("HTTP/1.1".utf8) || last.elementsEqual("HTTP/1.0".utf8)
        else { return nil }
        let (before, target) = (words[words.startIndex], words[words.startIndex + 1])
        let start = before.lastIndex { !isTokenByte($0) }.map { before.index(after: $0) } ?? before.startIndex
        let method = HTTPMethod(rawValue: String(decoding: before[start...], as: UTF8.self))
        guard case .RAW(let name) = method, (1...40).contains(name.utf8.count), !target.isEmpty else { return nil }
        return HTTPRequestHead(version: .http1_1, method: method, uri: String(decoding: target, as: UTF8.self))
    }

    /// RFC 9110: what a method's name may be made of.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
