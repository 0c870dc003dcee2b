import DomainKit
import JSON

/// Writes the JSON Schemas of an OpenRPC document as TypeScript types.
struct TypeScriptType {
    /// For results: arrays are mutable, since they belong to the caller.
    static let answered = TypeScriptType(arrayModifier: "")
    /// For parameters: arrays are `readonly`, so that every array is accepted.
    static let given = TypeScriptType(arrayModifier: "readonly ")

    private let arrayModifier: String

    /// The type of a schema.
    ///
    /// - Parameter indent: the white space at the start of the line that the type is on.
    func type(of schema: JSONValue, indent: String = "") -> String {
        if let reference = schema["$ref"]?.text {
            return Self.name(of: String(reference.split(separator: "/").last ?? ""))
        }
        if let constant = schema["const"] { return Self.literal(constant) }
        if case .array(let values)? = schema["enum"] { return Self.union(values.map(Self.literal), indent) }
        if case .array(let alternatives)? = schema["anyOf"] {
            return Self.union(alternatives.map { type(of: $0, indent: indent) }, indent)
        }
        switch schema["type"] {
        case .string(let name)?: return type(named: name, schema, indent)
        case .array(let names)?:
            return Self.union(names.compactMap(\.text).map { type(named: $0, schema, indent) }, indent)
        default: return "unknown"
        }
    }

    private func type(named name: String, _ schema: JSONValue, _ indent: String) -> String {
        switch name {
        case "integer": Self.wholeNumber(schema)
        case "number": "number"
        case "string": "string"
        case "boolean": "boolean"
        case "null": "null"
        case "array": array(of: type(of: schema["items"] ?? [:], indent: indent), indent)
        case "object": object(schema, indent: indent)
        default: "unknown"
        }
    }

    /// A range of at most five numbers as a union: `0 | 1`.
    private static func wholeNumber(_ schema: JSONValue) -> String {
        guard case .number(let minimum)? = schema["minimum"], case .number(let maximum)? = schema["maximum"],
            let first = UInt8(minimum), let last = UInt8(maximum), first <= last, last - first < 5
        else { return "number" }
        return (first...last).map(String.init).joined(separator: " | ")
    }

    /// An object type. Without declared properties it has any members, or none if no others are allowed.
    func object(_ schema: JSONValue, indent: String = "") -> String {
        guard case .object(let properties)? = schema["properties"], !properties.isEmpty else {
            return schema["additionalProperties"] == false ? "{ [key: string]: never }" : "{ [key: string]: any }"
        }
        let members = properties.members.map { member(of: schema, $0.name, $0.value, indent: indent + "  ") }
        let further = schema["additionalProperties"] == true ? "\(indent)  [key: string]: any;\n" : ""
        return "{\n\(members.joined())\(further)\(indent)}"
    }

    /// A member of an object type, with its comment.
    private func member(of object: JSONValue, _ name: String, _ schema: JSONValue, indent: String) -> String {
        var isRequired = false
        if case .array(let required)? = object["required"] { isRequired = required.contains(.string(name)) }
        return TypeScriptFile.comment(schema["description"]?.text, label: schema["x-label"]?.text, indent: indent)
            + "\(indent)\(Self.key(name))\(isRequired ? "" : "?"):"
            + "\(Self.spaced(type(of: schema, indent: indent)));\n"
    }

    private func array(of element: String, _ indent: String) -> String {
        guard element.contains(" ") else { return "\(arrayModifier)\(element)[]" }
        return "\(arrayModifier)(\(element)\(element.hasPrefix("\n") ? "\n\(indent)" : ""))[]"
    }

    /// A union of distinct types, on several lines if it is long.
    private static func union(_ types: [String], _ indent: String) -> String {
        var distinct: [String] = []
        for type in types.flatMap(alternatives) where !distinct.contains(type) { distinct.append(type) }
        let whole = distinct.joined(separator: " | ")
        guard indent.count + (whole.split(separator: "\n").first?.count ?? 0) > 90 else { return whole }
        // The lines of an object follow those of the other types.
        let short = distinct.filter { !$0.contains("\n") }.map { "| \($0)" }
        // A semicolon may follow.
        let lines = TypeScriptFile.fill(short, width: TypeScriptFile.width - indent.count - 3)
        return (lines + distinct.filter { $0.contains("\n") }.map { "| \($0)" }).map { "\n\(indent)  \($0)" }.joined()
    }

    /// The types of a union that is on several lines already; else the type alone.
    private static func alternatives(of type: String) -> [String] {
        guard type.hasPrefix("\n"), !type.contains("{") else { return [type] }
        return type.split(separator: "\n").flatMap { line in
            line.drop { $0 == " " || $0 == "|" }.split(separator: " | ").map(String.init)
        }
    }

    /// A type as it follows a colon or an equals sign.
    static func spaced(_ type: String) -> String { type.hasPrefix("\n") ? type : " " + type }
}

extension TypeScriptType {
    /// `sessions_where` as `SessionsWhere`.
    static func name(of schema: String) -> String {
        schema.split { $0 == "_" || $0 == "." || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The name of a property, quoted if it is not an identifier.
    static func key(_ name: String) -> String {
        let isIdentifier =
            name.unicodeScalars.first.map { !("0"..."9").contains($0) } ?? false
            && name.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || isDigit($0)) }
        return isIdentifier ? name : literal(.string(name))
    }

    static func literal(_ value: JSONValue) -> String {
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
}

/// The layout of the file.
enum TypeScriptFile {
    /// The maximum length of a line, in characters.
    static let width = 120

    /// A doc comment, on several lines if it is long; empty without a text and a label.
    ///
    /// - Parameter label: what people read in the place of the name. A text that begins with it stays as it is.
    static func comment(_ text: String?, label: String? = nil, indent: String) -> String {
        let text = labelled(text ?? "", label ?? "")
        guard !text.isEmpty else { return "" }
        let safe = text.split(separator: "*/", omittingEmptySubsequences: false).joined(separator: "*\\/")
        let line = "\(indent)/** \(safe) */"
        guard line.count > width else { return line + "\n" }
        let words = safe.split { $0 == " " || $0 == "\n" }.map(String.init)
        let lines = fill(words, width: width - indent.count - 3).map { "\(indent) * \($0)\n" }
        return "\(indent)/**\n\(lines.joined())\(indent) */\n"
    }

    private static func labelled(_ text: String, _ label: String) -> String {
        guard !label.isEmpty else { return text }
        guard !text.isEmpty else { return "\(label)." }
        let isSaid =
            text.lowercased().hasPrefix(label.lowercased()) && text.dropFirst(label.count).first?.isLetter != true
        return isSaid ? text : "\(label) – \(text)"
    }

    /// The parts with spaces between them, in as few lines as possible.
    static func fill(_ parts: [String], width: Int) -> [String] {
        var lines: [String] = []
        for part in parts {
            if let last = lines.last, last.count + 1 + part.count <= width {
                lines[lines.count - 1] = "\(last) \(part)"
            } else {
                lines.append(part)
            }
        }
        return lines
    }
}
