import DomainKit
import JSON
import TestSchema
import TestSupport

/// The OpenRPC document of a running server, parsed for tests that go through all of its methods.
struct ServiceDescription: Sendable {
    let document: JSONValue
    let methods: [MethodDescription]
    let validator: SchemaValidator

    init(of server: TestServer) async throws {
        document = try JSONValue.parse(try await server.connection().request("GET", "/openrpc.json").body)
        validator = SchemaValidator(document: document)
        methods = document.at("/methods").array.map(MethodDescription.init)
        guard methods.count > 25 else { throw TestEnvironmentError("only \(methods.count) methods are described") }
    }

    /// A schema with its references resolved.
    func resolved(_ schema: JSONValue) -> JSONValue {
        schema["$ref"]?.text.map { resolved(validator.target(of: $0)) } ?? schema
    }

    /// How `answer`, a response of `method`, differs from the document; nil when it does not.
    func fault(in answer: JSONValue, of method: MethodDescription) throws -> String? {
        if let result = answer["result"] {
            return try validator.accepts(result, method.resultSchema) ? nil : "the result is not as its schema says"
        }
        let code = answer.at("/error/code")
        for error in method.errors {
            guard error["code"] == code, error.at("/data/$ref").text != nil else { continue }
            if try validator.accepts(answer.at("/error/data"), error["data"] ?? .null) { return nil }
        }
        return "the error is none of those documented"
    }
}

struct MethodDescription: Sendable, CustomStringConvertible {
    let name: String
    let parameters: [JSONValue]
    let resultSchema: JSONValue
    let errors: [JSONValue]
    let roles: [String]
    let entity: String?
    /// The rules between the parameters.
    let rules: [JSONValue]
    let example: JSONValue

    init(_ method: JSONValue) {
        name = method["name"]?.text ?? ""
        parameters = method.at("/params").array
        resultSchema = method.at("/result/schema")
        errors = method.at("/errors").array
        roles = method.at("/x-roles").array.compactMap(\.text)
        entity = method["x-entity"]?.text
        rules = method["x-rules"]?.array ?? []
        example = method.at("/examples/0")
    }

    var description: String { name }

    /// Whether it deletes a record.
    var isDeleting: Bool { resultSchema.at("/properties/deleted") != .null }
}
