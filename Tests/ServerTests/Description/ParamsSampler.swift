import DomainKit
import JSON
import TestSchema
import TestSupport

/// Generates params of methods from the service's description alone.
///
/// Beside JSON Schema it reads extension members: `x-selection-of`, `x-aggregates-of`,
/// `x-variables-of` (GraphQL, which JSON Schema cannot describe), `x-references` (an existing record), `x-from` (only
/// values from a result), `x-distinct` and `x-keys-of` (constraints on the elements of a list).
struct ParamsSampler {
    let description: ServiceDescription
    /// Existing records that calls may refer to, by table.
    let known: [String: [Int]]
    private let role: Role?
    var random: SeededGenerator
    private var texts: [JSONValue: [String]] = [:]

    /// - Parameter role: the caller's, whose selections have only what it may read; nil for one that reads every table.
    init(_ description: ServiceDescription, known: [String: [Int]], role: Role? = nil, seed: UInt64) {
        self.description = description
        self.role = role
        self.known = known
        random = SeededGenerator(seed: seed)
    }

    /// A generated value, or a member that was left out, with its schema.
    struct Site {
        let path: String
        let schema: JSONValue
    }

    struct Sample {
        var params: JSONValue
        var sites: [Site]
    }

    mutating func sample(of method: MethodDescription) throws -> Sample {
        var members: [(String, JSONValue)] = []
        var sites: [Site] = []
        var variables: [(String, JSONValue)] = []
        for parameter in method.parameters {
            let name = parameter["name"]?.text ?? ""
            let schema = parameter["schema"] ?? .null
            let isRequired = parameter["required"] == true
            if schema["x-variables-of"] != nil {
                if !variables.isEmpty { members.append((name, .merging(variables))) }
                sites.append(Site(path: "/\(name)", schema: schema))
                continue
            }
            guard isRequired || schema["x-from"] == nil && random.chance(0.4) else {
                sites.append(Site(path: "/\(name)", schema: schema))
                continue
            }
            let path = "/\(name)"
            if name == "id", let entity = method.entity, schema["type"] == "integer" {
                let id = random.chance(0.6) ? (known[entity] ?? []).randomElement(using: &random) : nil
                members.append((name, JSONValue(id ?? Int.random(in: 1_000_000...Int(Int32.max), using: &random))))
                sites.append(Site(path: path, schema: schema))
            } else if name == "idempotency_key" {
                // A key that serves twice is a conflict unless the params are the same.
                members.append((name, .string(String(random.next(), radix: 36))))
                sites.append(Site(path: path, schema: schema))
            } else if let entity = schema["x-selection-of"]?.text {
                var selection = SelectionSampler(description: description, role: role, random: random)
                members.append((name, .string(selection.selection(of: entity))))
                random = selection.random
                variables = selection.variables
                sites.append(Site(path: path, schema: schema))
            } else if let entity = schema["x-aggregates-of"]?.text {
                var selection = SelectionSampler(description: description, role: role, random: random)
                members.append((name, .string(selection.aggregates(of: entity))))
                random = selection.random
                sites.append(Site(path: path, schema: schema))
            } else if let keys = description.resolved(nonNull(schema))["x-keys-of"]?.text {
                let grouping = method.parameters.first { $0["name"] == .string(keys) }?["schema"] ?? .null
                let all = Set(description.resolved(nonNull(grouping)).at("/items/enum").array)
                let chosen = Set(members.first { $0.0 == keys }?.1.array ?? [])
                let value = try value(of: schema, at: path, &sites)
                members.append(
                    (
                        name,
                        value.isNull
                            ? value
                            : .array(
                                value.array.filter { term in
                                    let key = JSONValue.string(Self.withoutSign(term.text ?? ""))
                                    return !all.contains(key) || chosen.contains(key)
                                })
                    ))
                // An element that was removed from the list has no place any more.
                sites.removeAll { $0.path.hasPrefix("\(path)/") }
            } else {
                members.append((name, try value(of: schema, at: path, &sites)))
            }
        }
        for rule in method.rules where rule["order"] == "ascending" { ascend(rule, &members) }
        return Sample(params: .merging(members), sites: sites)
    }

    // MARK: Values

    private mutating func value(
        of schema: JSONValue, at path: String, depth: Int = 0, _ sites: inout [Site]
    ) throws -> JSONValue {
        let schema = description.resolved(schema)
        if let constant = schema["const"] { return constant }
        if let alternatives = schema["anyOf"]?.array {
            let chosen =
                alternatives.filter { depth < 4 || $0 != ["type": "null"] }.randomElement(using: &random) ?? .null
            return try value(of: chosen, at: path, depth: depth, &sites)
        }
        sites.append(Site(path: path, schema: schema))
        if let words = schema["enum"]?.array { return words.randomElement(using: &random) ?? .null }
        switch type(of: schema) {
        case "null": return .null
        case "boolean": return .bool(random.chance(0.5))
        case "integer": return integer(schema)
        case "number": return number(schema)
        case "string": return .string(try text(schema))
        case "array": return try array(schema, path, depth, &sites)
        case "object": return try object(schema, path, depth, &sites)
        default: throw TestEnvironmentError("no value can be made up for \(schema.json)")
        }
    }

    private mutating func type(of schema: JSONValue) -> String {
        if let name = schema["type"]?.text { return name }
        let names = schema["type"]?.array.compactMap(\.text) ?? []
        return random.chance(0.15) ? names.last ?? "" : names.first ?? ""
    }

    private func nonNull(_ schema: JSONValue) -> JSONValue {
        schema["anyOf"]?.array.first { $0 != ["type": "null"] } ?? schema
    }

    private mutating func integer(_ schema: JSONValue) -> JSONValue {
        if let table = schema["x-references"]?.text, let id = (known[table] ?? []).randomElement(using: &random) {
            return JSONValue(id)
        }
        let least = schema["minimum"]?.int ?? 0
        let most = schema["maximum"]?.int ?? Int(Int32.max)
        let near = least...min(most, least.addingReportingOverflow(3).partialValue)
        return JSONValue(
            [least, most, Int.random(in: near, using: &random), min(max(2, least), most)].randomElement(using: &random)
                ?? least)
    }

    private mutating func number(_ schema: JSONValue) -> JSONValue {
        let isSigned = schema["minimum"]?.double ?? -1 < 0
        let whole = Int.random(in: 0...99_999, using: &random)
        let cents = ["", ".5", ".25", ".00", ".99"].randomElement(using: &random) ?? ""
        return .number("\(isSigned && whole > 0 && random.chance(0.3) ? "-" : "")\(whole)\(cents)")
    }

    /// Texts of many shapes, from which those are taken that a schema accepts.
    private static let corpus: [String] = [
        "a", "Élodie", "deux mots", "L'été, à 9 h", "日本語", "🙂", "50 %", "_", "\\\\", "'; DROP TABLE x; --", "\"", "\t",
        "P", "D",
        "2026-01-12", "2024-02-29", "1999-12-31", "09:00", "17:30:15", "00:00", "23:59:59", "2026-01-12T09:30:00Z",
        "2026-01-12T09:30:00.5+01:00", "3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48", "00000000-0000-0000-0000-000000000000",
        "un mot de passe assez long", "%a%", "a\\%", "zzzzzzzzzzzz", "x@y.fr", "01 99 00 10 10", "75002", "",
    ]

    private mutating func text(_ schema: JSONValue) throws -> String {
        if schema["x-format"] != nil, let examples = schema["examples"]?.array.compactMap(\.text) {
            return examples.randomElement(using: &random) ?? ""
        }
        if texts[schema] == nil {
            var candidates = Self.corpus
            if let longest = schema["maxLength"]?.int, longest < 1_001 {
                candidates.append(String(repeating: "a", count: longest))
            }
            texts[schema] = try candidates.filter { try description.validator.accepts(.string($0), schema) }
        }
        guard let chosen = (texts[schema] ?? []).randomElement(using: &random) else {
            throw TestEnvironmentError("no text for \(schema.json)")
        }
        return chosen
    }

    private mutating func array(_ schema: JSONValue, _ path: String, _ depth: Int, _ sites: inout [Site]) throws
        -> JSONValue
    {
        var elements: [JSONValue] = []
        var own: [Site] = []
        let least = schema["minItems"]?.int ?? 0
        let most = min(least + (depth > 3 ? 1 : 2), schema["maxItems"]?.int ?? .max)
        for _ in 0..<Int.random(in: least...most, using: &random) {
            var inner: [Site] = []
            let element = try value(
                of: schema["items"] ?? .null, at: "\(path)/\(elements.count)", depth: depth + 1, &inner)
            let isRepeated =
                schema["uniqueItems"] == true
                && elements.contains { Self.withoutSign($0.text ?? "") == Self.withoutSign(element.text ?? "") }
            // A schema cannot ask for it.
            let hasTaken = (schema["x-unique"]?.array ?? []).contains { name in
                elements.contains { other in other[name.text ?? ""] == element[name.text ?? ""] }
            }
            if isRepeated || hasTaken { continue }
            elements.append(element)
            own += inner
        }
        sites += own
        return .array(elements)
    }

    private mutating func object(_ schema: JSONValue, _ path: String, _ depth: Int, _ sites: inout [Site]) throws
        -> JSONValue
    {
        guard case .object(let properties)? = schema["properties"] else { return [:] }
        let required = Set(schema["required"]?.array.compactMap(\.text) ?? [])
        var members: [(String, JSONValue)] = []
        let wanted = depth > 3 ? 0 : Int.random(in: 0...3, using: &random)
        let optional = Set(
            properties.members.map(\.name).filter { !required.contains($0) }.shuffled(using: &random).prefix(wanted))
        for member in properties.members where required.contains(member.name) || optional.contains(member.name) {
            // Few, because hashing a password is slow.
            if member.value["format"] == "password", random.chance(0.8) { continue }
            let inner = try value(of: member.value, at: "\(path)/\(member.name)", depth: depth + 1, &sites)
            members.append((member.name, inner))
        }
        for rule in schema["x-rules"]?.array ?? [] where rule["order"] == "ascending" { ascend(rule, &members) }
        return .merging(members)
    }

    /// Sorts times that must follow each other.
    private func ascend(_ rule: JSONValue, _ members: inout [(String, JSONValue)]) {
        let names = rule["members"]?.array.compactMap(\.text) ?? []
        // Null is in no order with a time.
        let places = names.compactMap { name in members.firstIndex { $0.0 == name && $0.1.text != nil } }
        var values = places.map { members[$0].1.text ?? "" }.sorted()
        if Set(values).count < values.count {
            let sorted =
                values.contains { $0.contains("T") }
                ? ["2024-02-29T08:30:00Z", "2026-01-12T09:30:00Z"]
                : values.allSatisfy { $0.contains("-") }
                    ? ["2024-02-29", "2026-01-12"] : ["00:00", "09:00", "17:30:15", "23:59:59"]
            values = Array(sorted.prefix(values.count))
        }
        for (place, value) in zip(places, values) { members[place].1 = .string(value) }
    }

    static func withoutSign(_ term: String) -> String { term.hasPrefix("-") ? String(term.dropFirst()) : term }
}
