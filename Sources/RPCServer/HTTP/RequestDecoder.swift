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

    /// `PURGE /rpc HTTP/1.1`
    private static func head(at bytes: ByteBufferView) -> HTTPRequestHead? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\r")) else { return nil }
        let words = bytes[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[0].count <= 40, words[0].allSatisfy(isTokenByte), !words[1].isEmpty,
            words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8)
        else { return nil }
        return HTTPRequestHead(
            version: .http1_1, method: .RAW(value: String(decoding: words[0], as: UTF8.self)),
            uri: String(decoding: words[1], as: UTF8.self))
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
