import Auth
import DomainKit
import JSON
import QueryCompiler
import Testing

@testable import RPCServer

@Suite struct CallReferencesTests {
    private static let last = "9223372036854775807"
    private static let secondLast = "9223372036854775806"

    /// The references of the third call of four, named `a` to `d`; the second answers no id.
    private func references(in params: String) throws -> CallReferences {
        CallReferences(
            in: try JSONObject.read(params), ofCall: 2, positions: ["a": 0, "b": 1, "c": 2, "d": 3],
            after: [.record(Library.shelves), .noRecord])
    }

    @Test func `a reference is replaced by a number that stands for its call`() throws {
        let references = try references(
            in: #"{"id":{"$ref":"a.id"},"values":{"x":[1,{"$ref":"a.id"}],"y":{"z":"$ref"}}}"#)
        #expect(references.problems == [])
        #expect(references.calls == [Self.last: 0, Self.secondLast: 0])
        #expect(
            references.params == [
                "id": .number(Self.last), "values": ["x": [1, .number(Self.secondLast)], "y": ["z": "$ref"]],
            ])
    }

    @Test func `params without references stay as they are`() throws {
        let references = try references(in: #"{"id":1,"values":{"x":null}}"#)
        #expect(references.params == ["id": 1, "values": ["x": nil]])
        #expect(references.calls.isEmpty && references.problems.isEmpty)
    }

    @Test(arguments: [
        (#"{"$ref":"zzzz.id"}"#, Problem.Code.unknown, nil), (#"{"$ref":"aa.id"}"#, .unknown, "a.id"),
        (#"{"$ref":"c.id"}"#, .rule, nil), (#"{"$ref":"d.id"}"#, .rule, nil), (#"{"$ref":"b.id"}"#, .rule, nil),
        (#"{"$ref":"a.nom"}"#, .unknown, "a.id"), (#"{"$ref":"a.id.x"}"#, .unknown, "a.id"),
        (#"{"$ref":"a"}"#, .format, nil), (#"{"$ref":".id"}"#, .format, nil), (#"{"$ref":"é.id"}"#, .format, nil),
        (#"{"$ref":1}"#, .format, nil), (#"{"$ref":null}"#, .format, nil), (#"{"$ref":"a.id","x":1}"#, .format, nil),
    ])
    func `a wrong reference is a problem at its place`(reference: String, code: Problem.Code, suggestion: String?)
        throws
    {
        let references = try references(in: #"{"values":{"x":[\#(reference)]}}"#)
        #expect(references.problems.map(\.path) == ["/values/x/0"])
        #expect(references.problems.map(\.code) == [code])
        #expect(references.problems.map(\.suggestion) == [suggestion])
    }

    @Test func `a reference that is not read as an id is a problem`() throws {
        let references = try references(in: #"{"id":{"$ref":"a.id"},"values":{"x":{"$ref":"a.id"}}}"#)
        let first = UsedReference(digits: Self.last, target: nil)
        let second = UsedReference(digits: Self.secondLast, target: "shelves")
        #expect(references.problems(usedAs: [first], [:]).map(\.path) == ["/values/x"])
        #expect(references.problems(usedAs: [first, second], [:]) == [])
        let found = [
            Problem(path: "/values/x", code: .outOfRange, message: "trop grand"),
            Problem(path: "/values/x", code: .unknown, message: "inconnu"),
            Problem(path: "/values/y", code: .type, message: "texte"),
        ]
        #expect(
            references.problems(with: found).map(\.message) == [
                TransactionProblem.misplacedReference.message, "inconnu", "texte",
            ])
    }

    @Test(arguments: [
        ("{}", "9223372036854775807"),
        (#"{"a":9223372036854775807}"#, "9223372036854775806"),
        (#"{"a":[{"b":9223372036854775807.0}],"c":9.223372036854775806e18}"#, "9223372036854775805"),
        (#"{"a":-9223372036854775807,"b":922337203685477580600e-2}"#, "9223372036854775805"),
        (#"{"a":"9223372036854775807","b":1}"#, "9223372036854775807"),
    ])
    func `the number of a reference occurs nowhere in the params, however it is written`(params: String, number: String)
        throws
    {
        var numbers = UnusedNumbers(in: .object(try JSONObject.read(params)))
        #expect(numbers.next() == number)
        #expect(numbers.next() != number)
    }

    @Test(arguments: [
        ("a", true), ("_", true), ("A9_z", true), (String(repeating: "a", count: 31), true),
        (String(repeating: "a", count: 32), false), ("", false), ("9a", false), ("a-b", false), ("a.b", false),
        ("é", false), ("a ", false),
    ])
    func `a call has a name of letters, digits and underscores`(name: String, isName: Bool) {
        #expect(CallReferences.isName(name) == isName)
    }
}

@Suite struct CallDigestTests {
    private func digest(_ params: String, method: String = "books.create") throws -> [UInt8] {
        CallDigest.sha256(method: method, params: try JSONObject.read(params))
    }

    @Test(arguments: [
        (#"{"a":1,"b":{"c":[1,2],"d":null}}"#, #"{"b":{"d":null,"c":[1,2]},"a":1}"#, true),
        (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#, false), (#"{"a":1}"#, #"{"a":1.0}"#, false),
        (#"{"a":1}"#, #"{"a":"1"}"#, false), (#"{"a":null}"#, "{}", false), (#"{"a":{}}"#, #"{"a":[]}"#, false),
        (#"{"a":"é"}"#, #"{"a":"e\u0301"}"#, false), (#"{"a":"\u00e9"}"#, #"{"a":"é"}"#, true),
        (#"{"a":"b\",\"c\":\"d"}"#, #"{"a":"b","c":"d"}"#, false),
    ])
    func `params have the same digest exactly if they differ only in the order of members`(
        one: String, other: String, isEqual: Bool
    ) throws {
        #expect(try (digest(one) == digest(other)) == isEqual)
    }

    @Test func `the method is part of the digest`() throws {
        #expect(try digest("{}").count == 32)
        #expect(try digest("{}") != digest("{}", method: "books.update"))
    }

    @Test func `the subject in which a call is made is part of the digest`() throws {
        let served = try #require(ServedRole.roles(of: Library.domain).first)
        func digest(_ subject: Int64?) -> [UInt8] {
            CallDigest.sha256(method: "loans.create", params: [:], as: ActingRole(served: served, subject: subject))
        }
        #expect(digest(1) == digest(1))
        #expect(digest(1) != digest(2))
        #expect(digest(nil) == CallDigest.sha256(method: "loans.create", params: [:]))
    }

    @Test func `the terms of a call and its secrets are not part of the digest`() async throws {
        let service = try await Bookshop.service()
        let method = try service.methods.method(named: "users.create")
        let given: JSONObject = [
            "values": ["email": "a@b.fr", "password": "une belle phrase"], "idempotency_key": "k", "dry_run": true,
        ]
        #expect(method.withoutSecrets(given)["values"] == ["email": "a@b.fr"])
        let params = Params(given, method.parameters)
        let terms = WriteParameters.decode(
            params, method: method.name, digested: method.withoutSecrets(given), as: nil)
        #expect(terms.isDryRun)
        #expect(
            terms.once
                == IdempotencyKey(
                    key: "k", method: "users.create",
                    digest: try digest(#"{"values":{"email":"a@b.fr"}}"#, method: "users.create")))
    }
}

extension JSONObject {
    fileprivate static func read(_ text: String) throws -> JSONObject {
        guard case .object(let object) = try JSONReader.read(text).value else { return JSONObject() }
        return object
    }
}
