/// The errors a call may end in, by the word that `data.code` has for them.
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

    /// The error object's `code`.
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
