import Auth
import DomainKit
import JSON
import NIOCore
import Testing

@testable import RPCServer

@Suite struct RPCErrorObjectTests {
    private static let noun = Noun("facture", plural: "factures", feminine: true)

    @Test func `an error in the log is its cause, or what the caller reads`() {
        #expect("\(ExecutionError.unavailable(cause: "no answer"))" == "no answer")
        for error in [ExecutionError.timeout, .overloaded(retryAfter: 2), .notUnique(nil), .invalidCredentials] {
            #expect("\(error)" == RPCErrorObject(.execution(error)).message)
        }
        #expect("\(AuthError.hashingFailed)".contains("no memory"))
    }

    @Test(arguments: [
        (
            ExecutionError.notFound(noun), 404, "Cette facture n’existe pas.",
            #"{"code":"not_found","request_id":"r-1"}"#
        ),
        (
            .notFound(Noun("agent", plural: "agents", feminine: false)), 404, "Cet agent n’existe pas.",
            #"{"code":"not_found","request_id":"r-1"}"#
        ),
        (
            .referenced(count: 3, by: [noun]), 409, "Suppression impossible\u{202F}: 3 factures y font référence.",
            #"{"code":"conflict","reason":"referenced","count":3,"request_id":"r-1"}"#
        ),
        (
            .referenced(count: 1, by: [noun, noun]), 409,
            "Suppression impossible\u{202F}: 1 enregistrement y fait référence.",
            #"{"code":"conflict","reason":"referenced","count":1,"request_id":"r-1"}"#
        ),
        (
            .notUnique(nil), 409, "Donnez une autre valeur\u{202F}: celle-ci est déjà prise.",
            #"{"code":"conflict","reason":"unique","request_id":"r-1"}"#
        ),
        (
            .notUnique(Problem(path: "/values/name", code: .duplicate, message: "Pris.")), 409, "Pris.",
            #"{"code":"conflict","reason":"unique","#
                + #""errors":[{"path":"/values/name","code":"duplicate","message":"Pris."}],"request_id":"r-1"}"#
        ),
        (
            .invalidValues([
                Problem(
                    path: "/select", code: .unknown, message: "Inconnu.", suggestion: "nom",
                    position: .init(line: 2, column: 5))
            ]), -32602, "Inconnu.",
            #"{"code":"invalid_params","errors":[{"path":"/select","code":"unknown","message":"Inconnu.","#
                + #""suggestion":"nom","line":2,"column":5}],"request_id":"r-1"}"#
        ),
        (
            .conflict(
                reason: "stock", message: "Manque.", facts: ["missing": [["sku": "a", "free": .number("1.50")]]]),
            409, "Manque.",
            #"{"code":"conflict","reason":"stock","missing":[{"sku":"a","free":1.50}],"request_id":"r-1"}"#
        ),
        (
            .conflict(reason: "stock", message: "Manque.", facts: ["code": 1, "reason": 2, "request_id": 3]), 409,
            "Manque.", #"{"code":"conflict","reason":"stock","request_id":"r-1"}"#
        ),
        (
            .forbidden(message: "À un autre.", facts: ["owner_id": 3]), 403, "À un autre.",
            #"{"code":"forbidden","owner_id":3,"request_id":"r-1"}"#
        ),
        (
            .idempotency(.running), 409,
            "L’appel de cette clé est encore en cours\u{202F}: renvoyez-le dans un instant.",
            #"{"code":"conflict","reason":"idempotency","retryable":true,"request_id":"r-1"}"#
        ),
        (
            .idempotency(.otherParams), 409, "Cette clé a servi à un autre appel\u{202F}: donnez-en une nouvelle.",
            #"{"code":"conflict","reason":"idempotency","request_id":"r-1"}"#
        ),
        (
            .inCall(2, .notFound(noun)), 404, "Cette facture n’existe pas.",
            #"{"code":"not_found","path":"/calls/2","request_id":"r-1"}"#
        ),
        (
            .notFound(noun, facts: ["merged_into": 3], path: "/kept"), 404, "Cette facture n’existe pas.",
            #"{"code":"not_found","path":"/kept","merged_into":3,"request_id":"r-1"}"#
        ),
        (
            .inCall(2, .notFound(noun, path: "/kept")), 404, "Cette facture n’existe pas.",
            #"{"code":"not_found","path":"/calls/2/params/kept","request_id":"r-1"}"#
        ),
        (
            .inCall(1, .changedBefore(id: "7", version: "2")), 409,
            "Un appel précédent de la transaction a modifié l’enregistrement\u{202F}: donnez la version qu’il lui laisse, ou"
                + " omettez-la.",
            #"{"code":"conflict","reason":"version","current":{"id":7,"version":2},"path":"/calls/1","request_id":"r-1"}"#
        ),
        (
            .inCall(2, .notUnique(Problem(path: "/values/name", code: .duplicate, message: "Pris."))), 409, "Pris.",
            #"{"code":"conflict","reason":"unique","errors":[{"path":"/calls/2/params/values/name","#
                + #""code":"duplicate","message":"Pris."}],"path":"/calls/2","request_id":"r-1"}"#
        ),
        (
            .inCall(1, .conflict(reason: "stock", message: "Manque.", facts: ["free": 2, "path": "/x"])), 409,
            "Manque.",
            #"{"code":"conflict","reason":"stock","free":2,"path":"/calls/1","request_id":"r-1"}"#
        ),
        (
            .inCall(0, .invalidValues([Problem(path: "/values/x", code: .rule, message: "Non.")])), -32602, "Non.",
            #"{"code":"invalid_params","errors":[{"path":"/calls/0/params/values/x","code":"rule","message":"Non."}],"#
                + #""request_id":"r-1"}"#
        ),
        (
            .inCall(1, .unavailable(cause: "inside")), 503,
            "Le service est momentanément indisponible\u{202F}: réessayez.",
            #"{"code":"unavailable","retryable":true,"request_id":"r-1"}"#
        ),
        (
            .invalidCredentials, 401, "L’adresse ou le mot de passe n’est pas le bon.",
            #"{"code":"invalid_credentials","request_id":"r-1"}"#
        ),
        (
            .rateLimited(retryAfter: 4), 429, "Trop d’essais\u{202F}: patientez 4\u{A0}s.",
            #"{"code":"rate_limited","retry_after":4,"request_id":"r-1"}"#
        ),
        (
            .refusedByDatabase(cause: "inside"), 403, "Votre rôle ne permet pas cet appel.",
            #"{"code":"forbidden","request_id":"r-1"}"#
        ),
        (
            .unavailable(cause: "inside"), 503, "Le service est momentanément indisponible\u{202F}: réessayez.",
            #"{"code":"unavailable","retryable":true,"request_id":"r-1"}"#
        ),
        (
            .timeout, 504, "La réponse n’est pas venue à temps.", #"{"code":"timeout","request_id":"r-1"}"#
        ),
        (
            .outcomeUnknown(cause: "inside"), 500,
            "La liaison s’est rompue pendant l’enregistrement\u{202F}: vérifiez s’il a eu lieu.",
            #"{"code":"outcome_unknown","request_id":"r-1"}"#
        ),
        (
            .unexpected(cause: "inside"), -32603, "Une erreur interne est survenue.",
            #"{"code":"internal","request_id":"r-1"}"#
        ),
    ])
    func `an execution error has this error object`(error: ExecutionError, code: Int, message: String, data: String)
        throws
    {
        var buffer = ByteBuffer()
        try buffer.writeError(RPCErrorObject(.execution(error)), requestID: "r-1", upTo: .max)
        #expect(String(buffer: buffer) == #"{"code":\#(code),"message":"\#(message)","data":\#(data)}"#)
    }
}
