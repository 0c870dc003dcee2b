import NIOCore
import NIOHTTP1

/// Why HTTP itself turns a request away; each becomes a JSON-RPC error object with `id: null` whose code is the
/// response's status.
enum Refusal: Sendable, Hashable {
    case notFound
    /// With the methods that are possible.
    case methodNotAllowed(allowed: String)
    case unsupportedMediaType
    case unsupportedContentCoding
    case bodyTooLarge(max: Int)
    case headersTooLarge
    case malformed
    case tooSlow
    case expectationFailed
    case overloaded

    var status: HTTPResponseStatus {
        switch self {
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType, .unsupportedContentCoding: .unsupportedMediaType
        case .bodyTooLarge: .payloadTooLarge
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .malformed: .badRequest
        case .tooSlow: .requestTimeout
        case .expectationFailed: .expectationFailed
        case .overloaded: .serviceUnavailable
        }
    }

    private var code: StaticString {
        switch self {
        case .notFound: "not_found"
        case .methodNotAllowed: "method_not_allowed"
        case .unsupportedMediaType, .unsupportedContentCoding: "unsupported_media_type"
        case .bodyTooLarge, .headersTooLarge: "limit_exceeded"
        case .malformed: "bad_request"
        case .tooSlow: "request_timeout"
        case .expectationFailed: "expectation_failed"
        case .overloaded: "unavailable"
        }
    }

    private var message: String {
        switch self {
        case .notFound: "Rien à cette adresse ; l’API répond à POST /rpc."
        case .methodNotAllowed(let allowed): "Méthode HTTP refusée à cette adresse ; possible : \(allowed)."
        case .unsupportedMediaType: "Type de contenu refusé ; envoyez du JSON en application/json."
        case .unsupportedContentCoding: "Corps compressé refusé ; envoyez-le sans Content-Encoding."
        case .bodyTooLarge(let max): "Requête trop volumineuse ; \(max) octets au plus."
        case .headersTooLarge: "En-têtes HTTP trop volumineux."
        case .malformed: "Requête HTTP illisible."
        case .tooSlow: "La requête n’est pas arrivée en entier à temps."
        case .expectationFailed: "Attente refusée ; seul « Expect: 100-continue » est possible."
        case .overloaded: "Trop de requêtes en cours ; réessayez dans un instant."
        }
    }

    func reply(requestID: String) -> HTTPReply {
        var body = ByteBuffer()
        body.writeStaticString("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":")
        body.writeString(String(status.code))
        body.writeStaticString(",\"message\":")
        body.writeJSONString(message)
        body.writeStaticString(",\"data\":{\"code\":\"")
        body.writeStaticString(code)
        body.writeStaticString("\"")
        switch self {
        case .bodyTooLarge(let max): body.writeString(",\"limit\":\"body\",\"max\":\(max)")
        case .headersTooLarge: body.writeStaticString(",\"limit\":\"headers\"")
        case .overloaded: body.writeStaticString(",\"retryable\":true")
        default: break
        }
        body.writeStaticString(",\"request_id\":")
        body.writeJSONString(requestID)
        body.writeStaticString("}},\"id\":null}")
        return HTTPReply(status: status, contentType: "application/json", body: body, headers: headers)
    }

    private var headers: [(name: String, value: String)] {
        switch self {
        case .methodNotAllowed(let allowed): [(name: "Allow", value: allowed)]
        case .unsupportedMediaType: [(name: "Accept", value: "application/json")]
        case .unsupportedContentCoding: [(name: "Accept-Encoding", value: "identity")]
        case .overloaded: [(name: "Retry-After", value: "1")]
        default: []
        }
    }
}
