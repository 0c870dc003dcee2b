import DomainKit
import JSON
import Testing

@testable import RPCServer

@Suite struct StageOrderTests {
    @Test func `an unknown method is reported without a token`() async throws {
        let answer = try await TestService().answer(call("rul"), authorization: nil)
        #expect(answer?.contains(#""code":-32601,"#) == true)
        #expect(answer?.contains(#""suggestion":"rule""#) == true)
    }

    @Test(arguments: [
        (nil, "missing", "Connectez-vous\u{202F}: cet appel demande un jeton d’accès."),
        ("Bearer nonsense", "invalid", "Reconnectez-vous\u{202F}: ce jeton n’est pas valable."),
        ("Bearer old", "expired", "Renouvelez votre jeton\u{202F}: il a expiré."),
        ("Bearer ended", "revoked", "Reconnectez-vous\u{202F}: cette connexion a pris fin."),
    ])
    func `an unauthenticated call names the reason before its params are checked`(
        authorization: String?, reason: String, message: String
    ) async throws {
        #expect(
            try await TestService().answer(call("rule", #"{"unknown":1}"#), authorization: authorization)
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"\#(message)","#
                + #""data":{"code":"unauthenticated","reason":"\#(reason)","request_id":"r-1"}}}"#)
    }

    @Test func `a method that needs no caller ignores the token`() async throws {
        let params = #"{"minuend":2,"subtrahend":1}"#
        #expect(
            try await TestService().answer(call("subtract", params), authorization: "Bearer nonsense")
                == #"{"jsonrpc":"2.0","id":1,"result":1}"#)
    }

    @Test func `a token that cannot be checked makes the service unavailable`() async throws {
        #expect(
            try await TestService().answer(call("who"), authorization: "Bearer offline")
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":503,"#
                + #""message":"Le service est momentanément indisponible\#u{202F}: réessayez.","#
                + #""data":{"code":"unavailable","retryable":true,"request_id":"r-1"}}}"#)
    }

    @Test func `a role without the right is refused before the params are checked`() async throws {
        #expect(
            try await TestService().answer(call("rule", #"{"unknown":1}"#))
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":403,"message":"Votre rôle ne permet pas cet appel.","#
                + #""data":{"code":"forbidden","request_id":"r-1"}}}"#)
        #expect(
            try await TestService().answer(call("rule"), authorization: "Bearer admin")
                == #"{"jsonrpc":"2.0","id":1,"result":"done"}"#)
    }

    @Test func `problems of names and of values are reported together`() async throws {
        let answer = try await TestService().answer(call("subtract", #"{"minuent":1,"subtrahend":2}"#))
        #expect(
            answer == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#
                + #""message":"Corrigez les 2 erreurs signalées dans les paramètres.","#
                + #""data":{"code":"invalid_params","errors":[{"path":"/minuent","code":"unknown","#
                + #""message":"Le paramètre «\#u{A0}minuent\#u{A0}» n’existe pas\#u{202F}: "#
                + #"utilisez «\#u{A0}minuend\#u{A0}».","suggestion":"minuend"},"#
                + #"{"path":"/minuend","code":"required","message":"Donnez «\#u{A0}minuend\#u{A0}»\#u{202F}: "#
                + #"ce paramètre est obligatoire."}],"request_id":"r-1"}}}"#)
    }

    @Test func `the cause of an internal error is logged and not sent`() async throws {
        let service = try TestService()
        #expect(
            await service.answer(call("fail"))
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Une erreur interne est survenue.","#
                + #""data":{"code":"internal","request_id":"r-1"}}}"#)
        #expect(service.record.calls.map(\.cause) == ["an internal cause"])
    }

    @Test func `every call is reported once`() async throws {
        let service = try TestService()
        _ = await service.answer(
            """
            [{"jsonrpc":"2.0","method":"who","id":1},{"jsonrpc":"2.0","method":"rule","id":2},
             {"jsonrpc":"2.0","method":"note"},{"jsonrpc":"2.0","method":"made up","id":3},{}]
            """)
        #expect(service.record.calls.map(\.method) == ["who", "rule", "note", nil, nil])
        #expect(service.record.calls.map(\.code) == [nil, 403, nil, -32601, -32600])
    }

    private func call(_ method: String, _ params: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
    }
}
