import DomainKit
import JSON
import Testing

@testable import RPCServer

@Suite struct EnvelopeTests {
    @Test(arguments: ["null", "1", "-0", "1.0", "1e2", "123456789012345678901234567890", #""""#, #""a\"é""#, #""1""#])
    func `the response repeats the identifier as it was written`(id: String) async throws {
        let answer = try await TestService().answer(#"{"jsonrpc":"2.0","method":"who","id":\#(id)}"#)
        #expect(answer == #"{"jsonrpc":"2.0","id":\#(id),"result":"someone"}"#)
    }

    @Test(arguments: ["true", "false", "[]", "[1]", "{}"])
    func `an identifier of another type is an invalid request`(id: String) async throws {
        let answer = try await TestService().answer(#"{"jsonrpc":"2.0","method":"who","id":\#(id)}"#)
        #expect(answer == invalid("«\u{A0}id\u{A0}» est un nombre, un texte ou null"))
    }

    @Test(arguments: ["", #""jsonrpc":2.0,"#, #""jsonrpc":"1.0","#, #""jsonrpc":"2","#, #""jsonrpc":null,"#])
    func `the version must be exactly 2.0`(version: String) async throws {
        let answer = try await TestService().answer(#"{\#(version)"method":"who","id":7}"#)
        #expect(answer == invalid("«\u{A0}jsonrpc\u{A0}» vaut «\u{A0}2.0\u{A0}»", id: "7"))
    }

    @Test(arguments: ["null", "1", "true", #""text""#])
    func `params that are neither an object nor an array are an invalid request`(params: String) async throws {
        let answer = try await TestService().answer(#"{"jsonrpc":"2.0","method":"who","params":\#(params),"id":7}"#)
        #expect(answer == invalid("«\u{A0}params\u{A0}» est un objet, ou absent", id: "7"))
    }

    @Test func `an invalid request without an identifier has a response`() async throws {
        let answer = try await TestService().answer(#"{"jsonrpc":"2.0","method":"who","params":null}"#)
        #expect(answer == invalid("«\u{A0}params\u{A0}» est un objet, ou absent"))
    }

    @Test func `missing params are an empty object`() async throws {
        let service = try TestService()
        #expect(
            await service.answer(#"{"jsonrpc":"2.0","method":"note","id":1}"#)
                == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","jsonrpc":"2.0","method":"who","id":7}"#, "jsonrpc", "7"),
        (#"{"jsonrpc":"2.0","method":"who","id":7,"method":"who"}"#, "method", "7"),
        (#"{"jsonrpc":"2.0","method":"who","params":{},"id":7,"params":{}}"#, "params", "7"),
        (#"{"jsonrpc":"2.0","method":"who","id":7,"id":8}"#, "id", "null"),
    ])
    func `a duplicate member of the envelope is an invalid request`(body: String, name: String, id: String) async throws
    {
        let answer = try await TestService().answer(body)
        let remedy = "le membre «\u{A0}\(name)\u{A0}» y figure deux fois"
        #expect(answer == invalid(remedy, id: id))
        let batch = try await TestService().answer(#"[{"jsonrpc":"2.0","method":"who","id":1},\#(body)]"#)
        #expect(batch == #"[{"jsonrpc":"2.0","id":1,"result":"someone"},\#(invalid(remedy, id: id))]"#)
    }

    @Test(arguments: ["a", "\u{301}", "/params"])
    func `a duplicate member of the params is a problem of the params`(name: String) async throws {
        let body = #"{"jsonrpc":"2.0","method":"note","params":{"text":{"\#(name)":1,"\#(name)":2}},"id":7}"#
        let message = "Ne donnez ce membre qu’une fois\u{202F}: son nom figure deux fois dans le même objet."
        let error =
            #"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"\#(message)","data":{"code":"invalid_params","#
            + #""errors":[{"path":"\#("/text".appendingPointer(name))","code":"duplicate","message":"\#(message)"}],"request_id":"r-1"}}}"#
        #expect(try await TestService().answer(body) == error)
        #expect(try await TestService().answer("[\(body)]") == "[\(error)]")
    }

    @Test func `a batch has at most fifty requests`() async throws {
        let service = try TestService()
        let call = #"{"jsonrpc":"2.0","method":"who","id":1}"#
        let full = await service.answer("[" + Array(repeating: call, count: 50).joined(separator: ",") + "]")
        let answer = #"{"jsonrpc":"2.0","id":1,"result":"someone"}"#
        #expect(full == "[" + Array(repeating: answer, count: 50).joined(separator: ",") + "]")
        #expect(
            await service.answer("[" + Array(repeating: call, count: 51).joined(separator: ",") + "]")
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":413,"#
                + #""message":"Le lot compte 51 requêtes\#u{202F}: 50 au plus.","#
                + #""data":{"code":"limit_exceeded","limit":"batch","max":50,"request_id":"r-1"}}}"#)
    }

    @Test func `JSON that is nested too deeply is refused as a whole`() async throws {
        let nested = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        let body = #"{"jsonrpc":"2.0","method":"note","params":{"text":\#(nested)},"id":1}"#
        #expect(
            try await TestService().answer(body)
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":413,"#
                + #""message":"Le JSON est trop profond\#u{202F}: 64 niveaux au plus.","#
                + #""data":{"code":"limit_exceeded","limit":"json_depth","max":64,"request_id":"r-1"}}}"#)
    }
}
