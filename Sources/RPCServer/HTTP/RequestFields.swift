import NIOHTTP1

/// The header fields that decide what happens to a request, found in one pass.
struct RequestFields: Sendable {
    private(set) var contentType: String?
    private(set) var contentLength: Int?
    /// Whether a body is announced at all.
    private(set) var hasBody = false
    private(set) var hasContentEncoding = false
    private(set) var expectsContinue = false
    private(set) var hasUnknownExpectation = false
    /// After such a request the parser reads no further one.
    private(set) var wantsUpgrade = false
    private(set) var acceptsGzip = false
    private(set) var origin: String?
    /// The client's own id, when it is a sane one.
    private(set) var requestID: String?

    init(_ headers: HTTPHeaders) {
        for (name, value) in headers {
            // Lengths tell most names apart, so that few are compared letter by letter.
            switch name.utf8.count {
            case 6:
                if name.hasLetters(of: "expect") {
                    expectsContinue = value.hasLetters(of: "100-continue")
                    hasUnknownExpectation = !expectsContinue
                } else if name.hasLetters(of: "origin") {
                    origin = value
                }
            case 7: if name.hasLetters(of: "upgrade") { wantsUpgrade = true }
            case 12:
                if name.hasLetters(of: "content-type") {
                    contentType = value
                } else if name.hasLetters(of: "x-request-id"), RequestID.isSane(value) {
                    requestID = value
                }
            case 14:
                if name.hasLetters(of: "content-length") {
                    // The parser has let digits through only: what does not fit is larger than anything.
                    contentLength = Int(value) ?? .max
                    hasBody = hasBody || contentLength != 0
                }
            case 15: if name.hasLetters(of: "accept-encoding") { acceptsGzip = ContentCoding.acceptsGzip(value) }
            case 16:
                if name.hasLetters(of: "content-encoding"), !value.hasLetters(of: "identity") {
                    hasContentEncoding = true
                }
            case 17: if name.hasLetters(of: "transfer-encoding") { hasBody = true }
            default: break
            }
        }
    }
}

extension StringProtocol where SubSequence: BidirectionalCollection {
    /// Equality but for the case of ASCII letters; `lowercase` has none in upper case.
    func hasLetters(of lowercase: StaticString) -> Bool {
        guard utf8.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { expected in
            var index = 0
            for byte in utf8 {
                let isUpper = byte &- UInt8(ascii: "A") < 26
                guard (isUpper ? byte | 0x20 : byte) == expected[index] else { return false }
                index += 1
            }
            return true
        }
    }

    /// Without spaces and tabs at its ends.
    var trimmed: SubSequence {
        var rest = drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
        return rest
    }
}
