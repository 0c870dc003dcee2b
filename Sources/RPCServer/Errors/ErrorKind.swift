import JSON

/// The kinds of errors that a call may end in. The raw value is the `data.code` of the error object.
enum ErrorKind: String, CaseIterable, Sendable {
    case parseError = "parse_error"
    case invalidRequest = "invalid_request"
    case methodNotFound = "method_not_found"
    case invalidParams = "invalid_params"
    case internalError = "internal"
    case unauthenticated
    case invalidCredentials = "invalid_credentials"
    case forbidden
    case notFound = "not_found"
    case conflict
    case limitExceeded = "limit_exceeded"
    case rateLimited = "rate_limited"
    case outcomeUnknown = "outcome_unknown"
    case unavailable
    case timeout

    /// The `code` of the error object: JSON-RPC's own where the specification reserves one, else the status that HTTP
    /// has for the same case.
    var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .internalError: -32603
        case .unauthenticated, .invalidCredentials: 401
        case .forbidden: 403
        case .notFound: 404
        case .conflict: 409
        case .limitExceeded: 413
        case .rateLimited: 429
        case .outcomeUnknown: 500
        case .unavailable: 503
        case .timeout: 504
        }
    }
}
