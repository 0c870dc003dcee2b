import DomainKit
import JSON
import TestSupport
import Testing

/// The examples of section 7 of the JSON-RPC 2.0 specification, params by name.
@Suite struct SpecificationExamples {
    @Test func `named params may be in any order`() async throws {
        let service = try TestService()
        let first = #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#
        #expect(await service.answer(first) == #"{"jsonrpc":"2.0","id":3,"result":19}"#)
        let second = #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#
        #expect(await service.answer(second) == #"{"jsonrpc":"2.0","id":4,"result":19}"#)
    }

    @Test func `positional params are refused`() async throws {
        let service = try TestService()
        let body = #"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#
        #expect(
            await service.answer(body)
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#
                + #""message":"Donnez les paramètres par leur nom, dans un objet.","data":{"code":"invalid_params","errors":[{"path":"","code":"type","message":"#
                + #""Donnez les paramètres par leur nom, dans un objet."}],"request_id":"r-1"}}}"#)
    }

    @Test func `a notification is executed without a response`() async throws {
        let service = try TestService()
        #expect(await service.answer(#"{"jsonrpc": "2.0", "method": "note", "params": {"text": "a"}}"#) == nil)
        #expect(service.notes.all == [["text": "a"]])
    }

    @Test func `a notification of an unknown method has no response`() async throws {
        #expect(try await TestService().answer(#"{"jsonrpc": "2.0", "method": "foobar"}"#) == nil)
    }

    @Test func `a call of an unknown method is an error`() async throws {
        #expect(
            try await TestService().answer(#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#)
                == #"{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"#
                + #""message":"La méthode «\#u{A0}foobar\#u{A0}» n’existe pas.","data":{"code":"method_not_found","request_id":"r-1"}}}"#
        )
    }

    @Test(
        arguments: [
            (#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, 40),
            (#"[{"jsonrpc": "2.0", "method": "sum", "params": {"a": 1}, "id": "1"}, {"jsonrpc": "2.0", "method"]"#, 97),
            ("", 1), (" ", 2), ("nope", 1), (#"{"jsonrpc": "2.0", "method": "who", "id": 1} x"#, 46),
        ])
    func `a body that is not JSON is a parse error as a whole`(body: String, column: Int) async throws {
        let parseError =
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#
            + #""message":"Le corps de la requête n’est plus du JSON à partir de la ligne 1, colonne \#(column).","#
            + #""data":{"code":"parse_error","line":1,"column":\#(column),"request_id":"r-1"}}}"#
        #expect(try await TestService().answer(body) == parseError)
    }

    @Test func `an invalid request is an error`() async throws {
        let answer = try await TestService().answer(#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#)
        #expect(answer == invalid("«\u{A0}method\u{A0}» est un texte"))
    }

    @Test func `an empty batch is one invalid request`() async throws {
        #expect(try await TestService().answer("[]") == invalid("le lot est vide"))
    }

    @Test func `each member of a batch that is not a request has its own error`() async throws {
        let service = try TestService()
        let one = invalid("une requête est un objet")
        #expect(await service.answer("[1]") == "[\(one)]")
        #expect(await service.answer("[1,2,3]") == "[\(one),\(one),\(one)]")
    }

    @Test func `a mixed batch has a response for each member that is not a notification`() async throws {
        let answer = try await TestService().answer(
            """
            [
                {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 7, "subtrahend": 0}, "id": "1"},
                {"jsonrpc": "2.0", "method": "note", "params": {"text": "7"}},
                {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": "2"},
                {"foo": "boo"},
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                {"jsonrpc": "2.0", "method": "who", "id": "9"}
            ]
            """)
        #expect(
            answer == #"[{"jsonrpc":"2.0","id":"1","result":7},{"jsonrpc":"2.0","id":"2","result":19},"#
                + invalid("«\u{A0}jsonrpc\u{A0}» vaut «\u{A0}2.0\u{A0}»")
                + #",{"jsonrpc":"2.0","id":"5","error":{"code":-32601,"#
                + #""message":"La méthode «\#u{A0}foo.get\#u{A0}» n’existe pas.","#
                + #""data":{"code":"method_not_found","request_id":"r-1"}}},{"jsonrpc":"2.0","id":"9","result":"someone"}]"#
        )
    }

    @Test func `a batch of notifications has no response`() async throws {
        let service = try TestService()
        let answer = await service.answer(
            """
            [{"jsonrpc": "2.0", "method": "note", "params": {"text": "a"}},
             {"jsonrpc": "2.0", "method": "note", "params": {"text": "b"}}]
            """)
        #expect(answer == nil)
        #expect(Set(service.notes.all) == [["text": "a"], ["text": "b"]])
    }
}

/// The response to an invalid request.
func invalid(_ remedy: String, id: String = "null") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32600,"message":"Ce n’est pas une requête JSON-RPC 2.0\#u{202F}: "#
        + remedy + #".","data":{"code":"invalid_request","request_id":"r-1"}}}"#
}
