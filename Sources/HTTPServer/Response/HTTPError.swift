package import NIOHTTP1

/// Why the HTTP server turned a request away. ``RequestHandler/errorBody(_:requestID:)`` writes the response's body.
package enum HTTPError: Error, Sendable, Hashable {
    case notFound
    /// `allowed` lists the methods that the path has, as the `Allow` header does.
    case methodNotAllowed(allowed: String)
    case unsupportedMediaType
    case unsupportedContentCoding
    /// `max` is in bytes.
    case bodyTooLarge(max: Int)
    /// A body of more than `max` bytes needs a valid access token. The reason says why there is none.
    case unauthenticated(reason: String, max: Int)
    case headersTooLarge
    case malformed
    case requestTimeout
    case expectationFailed
    /// No call was executed, so the request may be repeated.
    case overloaded
    /// The calls were executed, but their response found no room.
    case responseDropped

    /// A member of an error object besides code and message.
    package enum Fact: Sendable, Hashable {
        case text(String, String)
        case number(String, Int)
        case flag(String, Bool)
    }

    package var status: HTTPResponseStatus {
        switch self {
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType, .unsupportedContentCoding: .unsupportedMediaType
        case .bodyTooLarge: .payloadTooLarge
        case .unauthenticated: .unauthorized
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .malformed: .badRequest
        case .requestTimeout: .requestTimeout
        case .expectationFailed: .expectationFailed
        case .overloaded: .serviceUnavailable
        case .responseDropped: .internalServerError
        }
    }

    /// The word for this error that programs compare.
    package var code: String {
        switch self {
        case .notFound: "not_found"
        case .methodNotAllowed: "method_not_allowed"
        case .unsupportedMediaType, .unsupportedContentCoding: "unsupported_media_type"
        case .bodyTooLarge, .headersTooLarge: "limit_exceeded"
        case .unauthenticated: "unauthenticated"
        case .malformed: "bad_request"
        case .requestTimeout: "request_timeout"
        case .expectationFailed: "expectation_failed"
        case .overloaded: "unavailable"
        // The client does not know what each call did, and must not simply repeat a write.
        case .responseDropped: "outcome_unknown"
        }
    }

    package var facts: [Fact] {
        switch self {
        case .bodyTooLarge(let max): [.text("limit", "body"), .number("max", max)]
        case .unauthenticated(let reason, let max):
            [.text("reason", reason), .text("limit", "body"), .number("max", max)]
        case .headersTooLarge: [.text("limit", "headers")]
        case .overloaded: [.flag("retryable", true)]
        default: []
        }
    }

    /// The headers that RFC 9110 wants or allows beside the status.
    var headers: [(name: String, value: String)] {
        switch self {
        case .methodNotAllowed(let allowed): [(name: "Allow", value: allowed)]
        case .unsupportedMediaType: [(name: "Accept", value: "application/json")]
        case .unsupportedContentCoding: [(name: "Accept-Encoding", value: "identity")]
        case .unauthenticated: [(name: "WWW-Authenticate", value: "Bearer")]
        case .overloaded: [(name: "Retry-After", value: "1")]
        default: []
        }
    }
}

extension RequestHandler {
    /// The whole response for `error`.
    func response(to error: HTTPError, requestID: String) -> HTTPResponse {
        HTTPResponse(
            status: error.status, contentType: "application/json", body: errorBody(error, requestID: requestID),
            headers: error.headers)
    }
}
