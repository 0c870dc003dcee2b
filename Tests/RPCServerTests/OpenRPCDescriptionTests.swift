import DomainKit
import JSON
import TestSchema
import Testing

@testable import RPCServer

@Suite struct OpenRPCDescriptionTests {
    @Test func `the description has the members that OpenRPC demands, and extensions`() async throws {
        let description = try await Bookshop.service().description.value
        #expect(names(description) == ["openrpc", "info", "methods", "components", "x-http"])
        #expect(description["openrpc"] == "1.3.2")
        #expect(description["info"]?["title"] == "Bookshop")
        for method in try methods(description) {
            let allowed: Set = ["name", "summary", "tags", "paramStructure", "params", "result", "errors", "examples"]
            #expect(names(method).allSatisfy { allowed.contains($0) || $0.hasPrefix("x-") })
            #expect(method["paramStructure"] == "by-name")
            #expect(method["summary"]?.text?.isEmpty == false)
            #expect(method["result"]?["schema"] != nil)
            for parameter in elements(method["params"]) {
                #expect(names(parameter) == ["name", "summary", "required", "schema"])
            }
            let examples = elements(method["examples"])
            #expect(examples.count == 1)
            #expect(examples.first.map { names($0) } == ["name", "params", "result"])
        }
        let common = members(description["components"]?["errors"]).map(\.value)
        let own = try methods(description).flatMap { elements($0["errors"]) }
        for error in common + own { #expect(names(error) == ["code", "message", "data"]) }
        // Generators of clients read no reference in the place of an error.
        #expect(own.allSatisfy(common.contains))
    }

    @Test func `the description lists every method with its parameters`() async throws {
        let service = try await Bookshop.service()
        let described = try methods(service.description.value)
        #expect(described.compactMap { $0["name"]?.text } == service.methods.methods.map(\.name))
        for (description, method) in zip(described, service.methods.methods) {
            let parameters = elements(description["params"])
            #expect(Set(parameters.compactMap { $0["name"]?.text }) == Set(method.parameters.map(\.name)))
            #expect(parameters.count == method.parameters.count)
            let areRequired = parameters.map { $0["required"] == true }
            #expect(areRequired == areRequired.sorted { $0 && !$1 }, "OpenRPC has required parameters come first")
        }
    }

    @Test func `every reference of the description has a target`() async throws {
        let description = try await Bookshop.service().description.value
        let validator = SchemaValidator(document: description)
        let references = references(in: description)
        #expect(references.count > 20)
        for reference in references {
            #expect(validator.target(of: reference) != .null, "\(reference)")
        }
    }

    @Test func `the errors of each method have different codes`() async throws {
        let description = try await Bookshop.service().description.value
        for method in try methods(description) {
            let codes = elements(method["errors"]).map { $0["code"] ?? .null }
            #expect(Set(codes).count == codes.count)
            #expect(codes.contains(.number("-32602")))
        }
    }

    @Test func `the result of each example conforms to its schema`() async throws {
        let description = try await Bookshop.service().description.value
        let validator = SchemaValidator(document: description)
        for method in try methods(description) {
            let example = try #require(elements(method["examples"]).first?["result"]?["value"])
            let schema = try #require(method["result"]?["schema"])
            #expect(try validator.accepts(example, schema), "\(method["name"] ?? .null)")
        }
    }

    // MARK: Parts of the description

    private func methods(_ description: JSONValue) throws -> [JSONValue] {
        let methods = elements(description["methods"])
        try #require(methods.count > 20)
        return methods
    }

    private func elements(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    private func members(_ value: JSONValue?) -> [JSONObject.Member] {
        if case .object(let object)? = value { object.members } else { [] }
    }

    private func names(_ value: JSONValue) -> [String] { members(value).map(\.name) }

    private func references(in value: JSONValue) -> Set<String> {
        switch value {
        case .array(let elements): return elements.reduce(into: []) { $0.formUnion(references(in: $1)) }
        case .object(let object):
            return object.members.reduce(into: []) { found, member in
                if member.name == "$ref", let text = member.value.text { found.insert(text) }
                found.formUnion(references(in: member.value))
            }
        default: return []
        }
    }
}
