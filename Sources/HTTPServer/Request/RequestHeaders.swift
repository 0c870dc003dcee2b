import NIOHTTP1

/// The headers that decide how a request is treated, found in one pass.
struct RequestHeaders: Sendable {
    private(set) var contentType: String?
    /// The length in bytes; `Int.max` for one that no `Int` holds.
    private(set) var contentLength: Int?
    /// Whether a body is announced.
    private(set) var hasBody = false
    private(set) var hasContentEncoding = false
    private(set) var expectsContinue = false
    private(set) var hasUnknownExpectation = false
    /// The parser reads no request after one that wants an upgrade.
    private(set) var wantsUpgrade = false
    private(set) var acceptsGzip = false
    private(set) var origin: String?
    /// The client's own id, when it is valid.
    private(set) var requestID: String?
    /// The value of `Authorization`. Several different ones are joined by commas, as RFC 9110 (5.3) reads them, and so
    /// are no valid credentials.
    private(set) var authorization: String?
    private(set) var userAgent: String?
    /// The value of `traceparent`, unless there are several.
    var traceParent: String? { traceParents == 1 ? firstTraceParent : nil }
    private var firstTraceParent: String?
    private var traceParents = 0
    private var hosts = 0
    private var hasMalformedHost = false
    private var hasMalformedLength = false
    private var transferCodings = 0
    private var hasUnknownTransferCoding = false

    init(_ headers: HTTPHeaders) {
        for (name, value) in headers {
            // Most names differ in length, so that few are compared letter by letter.
            switch name.utf8.count {
            case 4:
                if name.equalsIgnoringCase("host") {
                    hosts += 1
                    hasMalformedHost = hasMalformedHost || !Authority.isValid(value.trimmed)
                }
            case 6:
                if name.equalsIgnoringCase("expect") {
                    expectsContinue = value.equalsIgnoringCase("100-continue")
                    hasUnknownExpectation = !expectsContinue
                } else if name.equalsIgnoringCase("origin") {
                    origin = value
                }
            case 7: if name.equalsIgnoringCase("upgrade") { wantsUpgrade = true }
            case 10: if name.equalsIgnoringCase("user-agent") { userAgent = userAgent ?? value }
            case 11:
                if name.equalsIgnoringCase("traceparent") {
                    traceParents += 1
                    firstTraceParent = value
                }
            case 12:
                if name.equalsIgnoringCase("content-type") {
                    contentType = value
                } else if name.equalsIgnoringCase("x-request-id"), RequestIDGenerator.isValid(value) {
                    requestID = value
                }
            case 13:
                if name.equalsIgnoringCase("authorization") { add(authorization: value) }
            case 14:
                if name.equalsIgnoringCase("content-length") { add(contentLength: value.trimmed) }
            case 15: if name.equalsIgnoringCase("accept-encoding") { acceptsGzip = AcceptEncoding.allowsGzip(value) }
            case 16:
                if name.equalsIgnoringCase("content-encoding"), !value.equalsIgnoringCase("identity") {
                    hasContentEncoding = true
                }
            case 17:
                if name.equalsIgnoringCase("transfer-encoding") {
                    hasBody = true
                    transferCodings += 1
                    hasUnknownTransferCoding = hasUnknownTransferCoding || !value.equalsIgnoringCase("chunked")
                }
            default: break
            }
        }
    }

    /// The parser of HTTP/1 leaves spaces behind the digits, and HTTP/2 has no such parser.
    private mutating func add(contentLength digits: Substring) {
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        hasMalformedLength = hasMalformedLength || !isNumber || contentLength != nil
        contentLength = Int(digits) ?? .max
        hasBody = hasBody || contentLength != 0
    }

    private mutating func add(authorization value: String) {
        guard let first = authorization else {
            authorization = value
            return
        }
        if first != value { authorization = "\(first), \(value)" }
    }

    var isChunked: Bool { transferCodings > 0 }

    /// Whether it is clear where the request ends and for which host it is (RFC 9110, 8.6; RFC 9112, 3.2 and 6.1). A proxy in front of
    /// the server may understand a request of which it is not clear differently.
    func isUnambiguous(in version: HTTPVersion) -> Bool {
        let isHTTP11 = version == .http1_1
        guard !hasMalformedHost, !hasMalformedLength else { return false }
        guard hosts == 1 || (hosts == 0 && !isHTTP11 && version != .http2) else { return false }
        return transferCodings == 0 || (transferCodings == 1 && !hasUnknownTransferCoding && isHTTP11)
    }
}

/// The value of `Accept-Encoding`.
enum AcceptEncoding {
    /// Whether `value` allows gzip: by its name or by `*`, with a weight above zero.
    static func allowsGzip(_ value: String) -> Bool {
        var allowsAny = false
        for item in value.split(separator: ",") {
            let parts = item.split(separator: ";", omittingEmptySubsequences: false)
            let name = parts[0].trimmed
            if name.equalsIgnoringCase("gzip") || name.equalsIgnoringCase("x-gzip") {
                return hasWeight(parts.dropFirst())
            }
            if name.equalsIgnoringCase("*") { allowsAny = hasWeight(parts.dropFirst()) }
        }
        return allowsAny
    }

    private static func hasWeight(_ parameters: ArraySlice<Substring>) -> Bool {
        for parameter in parameters {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmed.equalsIgnoringCase("q") else { continue }
            guard let weight = Double(pair[1].trimmed) else { return false }
            return weight > 0
        }
        return true
    }
}

/// The value of `Content-Type`.
enum MediaType {
    /// Whether a body of this type is read as JSON. Clients name JSON in three ways, or leave the header out.
    static func isJSON(_ contentType: String?) -> Bool {
        // Nearly all clients send exactly this.
        guard let contentType, !contentType.equalsIgnoringCase("application/json"), !contentType.trimmed.isEmpty else {
            return true
        }
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false)
        let name = parts[0].trimmed
        guard
            name.equalsIgnoringCase("application/json") || name.equalsIgnoringCase("application/json-rpc")
                || name.equalsIgnoringCase("application/jsonrequest")
        else { return false }
        return parts.dropFirst().allSatisfy(isAcceptable)
    }

    /// JSON is always UTF-8, so that the only unacceptable parameter is another character set.
    private static func isAcceptable(_ parameter: Substring) -> Bool {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, pair[0].trimmed.equalsIgnoringCase("charset") else { return true }
        let name = pair[1].trimmed.filter { $0 != "\"" }
        return name.equalsIgnoringCase("utf-8") || name.equalsIgnoringCase("utf8")
            || name.equalsIgnoringCase("us-ascii")
    }
}

extension StringProtocol where SubSequence: BidirectionalCollection {
    /// Whether both are equal when the case of ASCII letters is ignored.
    /// - Parameter lowercase: has no upper-case letter.
    func equalsIgnoringCase(_ lowercase: StaticString) -> Bool {
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

    /// This text without spaces and tabs at its ends.
    var trimmed: SubSequence {
        var rest = drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
        return rest
    }
}
