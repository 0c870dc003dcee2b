import DomainKit
import JSON
import TestSchema
import TestSupport

/// Params with one mistake, and its place.
struct ParamsMutation {
    let params: JSONValue
    let path: String

    /// - Returns: nil when the schema accepts every change at the chosen place.
    init?(
        of sample: ParamsSampler.Sample, for method: MethodDescription, _ validator: SchemaValidator,
        _ random: inout SeededGenerator
    ) throws {
        if method.parameters.isEmpty || random.chance(0.1) {
            params = sample.params.setting("/inconnu_zz", to: 1)
            path = "/inconnu_zz"
            return
        }
        let required = method.parameters.filter { $0["required"] == true }.compactMap { $0["name"]?.text }
        if random.chance(0.1), let name = required.randomElement(using: &random) {
            params = sample.params.setting("/\(name)", to: nil)
            path = "/\(name)"
            return
        }
        guard let site = sample.sites.randomElement(using: &random) else { return nil }
        let current = sample.params.at(site.path)
        guard let change = Self.mistakes(for: site.schema, current, at: site.path).shuffled(using: &random).first
        else { return nil }
        params = sample.params.setting(change.place, to: change.value)
        path = change.path
        // Another alternative of the schema may accept a changed value.
        let name = site.path.split(separator: "/").first.map(String.init) ?? ""
        guard let schema = method.parameters.first(where: { $0["name"]?.text == name })?["schema"] else { return nil }
        if let value = params[name], try validator.accepts(value, schema) { return nil }
    }

    private struct Mistake {
        /// The place of the change.
        let place: String
        /// nil: the value is removed.
        let value: JSONValue?
        /// The place that the error must name.
        let path: String
    }

    private static func mistakes(for schema: JSONValue, _ current: JSONValue, at path: String) -> [Mistake] {
        var mistakes: [Mistake] = []
        func put(_ value: JSONValue) { mistakes.append(Mistake(place: path, value: value, path: path)) }
        let types = Set(schema["type"]?.array.compactMap(\.text) ?? [] + [schema["type"]?.text ?? ""])
            .union([schema["type"]?.text ?? ""])
        if !types.contains("string") { put("un texte") }
        if !types.contains("number"), !types.contains("integer") { put(7) }
        if types.contains("integer") { put(.number("1.5")) }
        if !types.contains("boolean") { put(true) }
        if !types.contains("array") { put([]) }
        if !types.contains("object") { put([:]) }
        if types.contains("string") { put("a\u{0}b") }
        if schema["enum"] != nil { put("pas_un_mot") }
        if let pattern = schema["pattern"]?.text, !pattern.isEmpty { put("&&&") }
        if let longest = schema["maxLength"]?.int { put(.string(String(repeating: "a", count: longest + 1))) }
        if let shortest = schema["minLength"]?.int, shortest > 0 {
            put(.string(String(repeating: "a", count: shortest - 1)))
        }
        if let least = schema["minimum"]?.int, least > Int.min { put(JSONValue(least - 1)) }
        if let most = schema["maximum"]?.int, most < Int.max { put(JSONValue(most + 1)) }
        if let most = schema["maximum"], types.contains("number"), case .number(let digits) = most {
            put(.number("1" + digits))
        }
        if schema["multipleOf"] != nil { put(.number("1.005")) }
        if case .object(let object) = current {
            if schema["additionalProperties"] == false {
                mistakes.append(Mistake(place: "\(path)/inconnu_zz", value: 1, path: "\(path)/inconnu_zz"))
            }
            for name in schema["required"]?.array.compactMap(\.text) ?? [] where object[name] != nil {
                mistakes.append(Mistake(place: "\(path)/\(name)", value: nil, path: "\(path)/\(name)"))
            }
        }
        if case .array(let elements) = current, let first = elements.first, schema["uniqueItems"] == nil,
            let most = schema["maxItems"]?.int
        {
            put(.array(Array(repeating: first, count: most + 1)))
        }
        if case .array = current, let least = schema["minItems"]?.int {
            put(.array(Array(current.array.prefix(least - 1))))
        }
        if case .array(let elements) = current, schema["uniqueItems"] == true, let first = elements.first {
            mistakes.append(Mistake(place: path, value: .array(elements + [first]), path: "\(path)/\(elements.count)"))
        }
        return mistakes
    }
}

extension JSONValue {
    /// This value with the value at a JSON Pointer replaced; nil removes it.
    func setting(_ pointer: String, to value: JSONValue?) -> JSONValue {
        setting(pointer.split(separator: "/").map(String.init)[...], to: value)
    }

    private func setting(_ tokens: ArraySlice<String>, to value: JSONValue?) -> JSONValue {
        guard let token = tokens.first else { return value ?? .null }
        let rest = tokens.dropFirst()
        switch self {
        case .array(var elements):
            guard let index = Int(token), elements.indices.contains(index) else { return self }
            elements[index] = elements[index].setting(rest, to: value)
            return .array(elements)
        case .object(let object):
            var members = object.members
            let index = members.firstIndex { $0.name == token }
            if rest.isEmpty, value == nil {
                members.removeAll { $0.name == token }
            } else if let index {
                members[index] = JSONObject.Member(token, members[index].value.setting(rest, to: value))
            } else {
                members.append(JSONObject.Member(token, JSONValue.object(JSONObject()).setting(rest, to: value)))
            }
            return .object(JSONObject(members))
        default: return self
        }
    }
}
