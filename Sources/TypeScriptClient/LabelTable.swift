import DomainKit
import JSON

/// The constants of the client with what people read: above values, in the place of words, on buttons.
///
/// Each is a literal, which a bundler drops if a program does not import it.
struct LabelTable {
    private let fields: JSONValue
    private let words: JSONValue
    private let methods: JSONValue
    private let parameters: JSONValue
    private let parameterWords: JSONValue

    /// - Parameter description: an OpenRPC document. Labels come from its extensions `x-label` and `x-labels`.
    init(_ description: JSONValue) {
        let tables = Self.tables(description)
        fields = Self.object(tables) { Self.object($0) { $0["x-label"] } }
        words = Self.object(tables) { Self.object($0, Self.words(of:)) }
        let groups = Self.groups(description)
        methods = Self.object(groups) { Self.object($0) { $0["x-label"] } }
        parameters = Self.object(groups) { group in
            Self.object(group) { Self.object(Self.parameters(of: $0)) { $0["x-label"] } }
        }
        parameterWords = Self.object(groups) { group in
            Self.object(group) { Self.object(Self.parameters(of: $0), Self.words(of:)) }
        }
    }

    var source: String {
        """
        // Labels

        /** What people read above the columns, derived fields and relations of each table, secrets included. */
        export const labels = \(Self.literal(fields)) as const;

        /** The words of each column and derived field with a choice, in their order, with what people read in their place. */
        export const choices = \(Self.literal(words)) as const;

        /** What people read on the buttons of commands. */
        export const methodLabels = \(Self.literal(methods)) as const;

        /** What people read above the parameters of commands and views. */
        export const parameterLabels = \(Self.literal(parameters)) as const;

        /** The words of parameters with a choice, in their order, with what people read in their place. */
        export const parameterChoices = \(Self.literal(parameterWords)) as const;

        """
    }

    // MARK: The document

    /// The schemas of the fields of each table, those at the end that calls write and do not read.
    private static func tables(_ description: JSONValue) -> [JSONObject.Member] {
        guard case .object(let schemas)? = description["components"]?["schemas"] else { return [] }
        return schemas.members.filter { $0.value["x-table"] == true }.map { table in
            var fields = properties(of: table.value)
            for kind in ["create", "update"] {
                for field in properties(of: schemas["\(table.name)_\(kind)"] ?? [:])
                where field.value["writeOnly"] == true && !fields.contains(where: { $0.name == field.name }) {
                    fields.append(field)
                }
            }
            return .init(table.name, .object(JSONObject(fields)))
        }
    }

    private static func properties(of schema: JSONValue) -> [JSONObject.Member] {
        if case .object(let properties)? = schema["properties"] { properties.members } else { [] }
    }

    /// The descriptions of the methods by the two halves of their names.
    private static func groups(_ description: JSONValue) -> [JSONObject.Member] {
        guard case .array(let methods)? = description["methods"] else { return [] }
        var groups: [(name: String, methods: [JSONObject.Member])] = []
        for method in methods {
            guard let described = DescribedMethod(method) else { continue }
            let member = JSONObject.Member(described.ownName, method)
            if let index = groups.firstIndex(where: { $0.name == described.group }) {
                groups[index].methods.append(member)
            } else {
                groups.append((described.group, [member]))
            }
        }
        return groups.map { .init($0.name, .object(JSONObject($0.methods))) }
    }

    /// The schemas of a method's parameters.
    private static func parameters(of method: JSONValue) -> JSONValue {
        guard case .array(let parameters)? = method["params"] else { return [:] }
        return .object(
            JSONObject(
                parameters.compactMap { parameter in
                    parameter["name"]?.text.map { .init($0, parameter["schema"] ?? [:]) }
                }))
    }

    /// The labels of the words of a choice, or of those of a list's elements; nil for another schema.
    private static func words(of schema: JSONValue) -> JSONValue? {
        schema["x-labels"] ?? schema["items"]?["x-labels"]
    }

    // MARK: Literals

    /// What `value` makes of each member, without those of which it makes nothing.
    private static func object(_ members: [JSONObject.Member], _ value: (JSONValue) -> JSONValue?) -> JSONValue {
        .object(
            JSONObject(
                members.compactMap { member in
                    guard let value = value(member.value), value != [:] else { return nil }
                    return .init(member.name, value)
                }))
    }

    private static func object(_ members: JSONValue, _ value: (JSONValue) -> JSONValue?) -> JSONValue {
        guard case .object(let object) = members else { return [:] }
        return Self.object(object.members, value)
    }

    /// An object of objects and texts, on one line where it holds texts and is short.
    private static func literal(_ value: JSONValue, indent: String = "") -> String {
        guard case .object(let object) = value else { return TypeScriptType.literal(value) }
        guard !object.isEmpty else { return "{}" }
        let members = object.members.map { member in
            "\(TypeScriptType.key(member.name)): \(literal(member.value, indent: indent + "  "))"
        }
        let line = "{ \(members.joined(separator: ", ")) }"
        let isFlat = object.members.allSatisfy { $0.value.text != nil }
        if isFlat, indent.count >= 4, indent.count + line.count < 90 { return line }
        return "{\n\(members.map { "\(indent)  \($0),\n" }.joined())\(indent)}"
    }
}
