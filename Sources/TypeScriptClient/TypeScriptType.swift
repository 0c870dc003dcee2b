import DomainKit

/// A JSON Schema, of those that describe a service, as a TypeScript type.
enum TypeScriptType {
    /// `sessions_where` as `SessionsWhere`.
    static func name(of schema: String) -> String {
        schema.split { $0 == "_" || $0 == "." || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// - Parameter indent: the white space before the line it stands on.
    static func type(of schema: Value, indent: String = "") -> String {
        if let reference = schema["$ref"]?.text {
            return name(of: String(reference.split(separator: "/").last ?? ""))
        }
        if let constant = schema["const"] { return literal(constant) }
        if case .array(let values)? = schema["enum"] { return union(values.map(literal)) }
        if case .array(let alternatives)? = schema["anyOf"] {
            return union(alternatives.map { type(of: $0, indent: indent) })
        }
        switch schema["type"] {
        case .string(let name)?: return type(named: name, schema, indent)
        case .array(let names)?: return union(names.compactMap(\.text).map { type(named: $0, schema, indent) })
        default: return "unknown"
        }
    }

    private static func type(named name: String, _ schema: Value, _ indent: String) -> String {
        switch name {
        case "integer", "number": "number"
        case "string": "string"
        case "boolean": "boolean"
        case "null": "null"
        case "array": array(of: type(of: schema["items"] ?? [:], indent: indent))
        case "object": object(schema, indent: indent)
        default: "unknown"
        }
    }

    /// An object type; of one without properties any member may be there, unless none may.
    static func object(_ schema: Value, indent: String = "") -> String {
        guard case .object(let properties)? = schema["properties"], !properties.isEmpty else {
            return schema["additionalProperties"] == false ? "{ [key: string]: never }" : "{ [key: string]: any }"
        }
        let members = properties.members.map { member(of: schema, $0.name, $0.value, indent: indent + "  ") }
        return "{\n\(members.joined())\(indent)}"
    }

    /// One line of an object type, with its comment.
    static func member(of object: Value, _ name: String, _ schema: Value, indent: String) -> String {
        var isRequired = false
        if case .array(let required)? = object["required"] { isRequired = required.contains(.string(name)) }
        let type = type(of: schema, indent: indent)
        return comment(schema["description"]?.text, indent: indent)
            + "\(indent)\(key(name))\(isRequired ? "" : "?"): \(type);\n"
    }

    static func comment(_ text: String?, indent: String) -> String {
        guard let text, !text.isEmpty else { return "" }
        return
            "\(indent)/** \(text.split(separator: "*/", omittingEmptySubsequences: false).joined(separator: "*\\/")) */\n"
    }

    /// A property's name, quoted where it must be.
    static func key(_ name: String) -> String {
        let isIdentifier =
            name.unicodeScalars.first.map { !("0"..."9").contains($0) } ?? false
            && name.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || isDigit($0)) }
        return isIdentifier ? name : literal(.string(name))
    }

    static func literal(_ value: Value) -> String {
        switch value {
        case .null: return "null"
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .number(let digits): return digits
        case .string(let text):
            var quoted = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": quoted += "\\\""
                case "\\": quoted += "\\\\"
                case "\n": quoted += "\\n"
                default: quoted.unicodeScalars.append(scalar)
                }
            }
            return "\"\(quoted)\""
        case .array, .object: return "unknown"
        }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func array(of element: String) -> String {
        element.contains(" ") ? "(\(element))[]" : "\(element)[]"
    }

    private static func union(_ types: [String]) -> String {
        var distinct: [String] = []
        for type in types where !distinct.contains(type) { distinct.append(type) }
        return distinct.joined(separator: " | ")
    }
}
