import JSON
import TestSchema

/// Where the params of a method name records, by the service's description alone.
///
/// Every integer of 64 bits names a record, and so do cursors and ids in the form of a UUID; what else a text is, the description says
/// or ``texts`` lists. So a parameter of a new kind is known, or is reported by its name.
struct RecordPlaces {
    enum Kind: Equatable {
        /// The id of a record, as an integer or a UUID.
        case id(isUUID: Bool)
        case company
        /// The position after a page's last record.
        case cursor
        /// A list of calls, which name records in their own params.
        case calls
        case unknown
    }

    struct Place {
        /// A JSON Pointer into the params. An element of a list has the number 0.
        let path: String
        let kind: Kind
    }

    private let description: ServiceDescription

    init(_ description: ServiceDescription) {
        self.description = description
    }

    func places(of method: MethodDescription) -> [Place] {
        method.parameters.flatMap { parameter in
            places(parameter["schema"] ?? .null, at: "/\(parameter["name"]?.text ?? "")", within: [])
        }
    }

    /// Texts that name no record and whose schema does not say what they are.
    private static let texts: Set = [
        "after", "authenticatorData", "clientDataJSON", "signature", "userHandle", "rawId", "attestationObject", "type",
        "transports",
        "as", "current_password", "email", "idempotency_key", "name", "nom", "password", "refresh_token", "role",
        "search", "token",
    ]
    /// 64 bits that name no record: a version, and the number that a device gives an event.
    private static let numbers: Set = ["if_version", "sequence_number"]
    /// What a schema says of a text or an object that names no record.
    private static let explanations = [
        "enum", "const", "format", "x-label", "x-selection-of", "x-aggregates-of", "x-variables-of", "x-format",
    ]

    /// - Parameter references: the named schemas around this one, so that the walk ends.
    private func places(_ schema: JSONValue, at path: String, within references: [String]) -> [Place] {
        if let reference = schema["$ref"]?.text {
            // Filters of relations, which hold those of further ones: one relation is enough.
            let isFurther = reference.hasSuffix("_where") && references.count { $0.hasSuffix("_where") } > 1
            guard !isFurther, !references.contains(reference) else { return [] }
            return places(description.validator.target(of: reference), at: path, within: references + [reference])
        }
        if schema["x-calls"] == true { return [Place(path: path, kind: .calls)] }
        let alternatives = (schema["anyOf"]?.array ?? []) + (schema["oneOf"]?.array ?? [])
        var found = alternatives.flatMap { places($0, at: path, within: references) }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        if case .object(let properties)? = schema["properties"] {
            for member in properties.members {
                found += places(member.value, at: "\(path)/\(member.name)", within: references)
            }
        } else if Self.has(schema, "object"), alternatives.isEmpty,
            !Self.explanations.contains(where: { schema[$0] != nil }), schema["additionalProperties"] == nil
        {
            found.append(Place(path: path, kind: .unknown))
        }
        if let items = schema["items"] { found += places(items, at: "\(path)/0", within: references) }
        if Self.has(schema, "integer"), schema["enum"] == nil, !Self.numbers.contains(name) {
            // Numbers that count or measure have narrower bounds.
            let isWide = schema["maximum"]?.double.map { $0 > 9_007_199_254_740_992 } ?? true
            if isWide { found.append(Place(path: path, kind: name == "company_id" ? .company : .id(isUUID: false))) }
        }
        if Self.has(schema, "string") {
            if schema["x-from"] != nil {
                found.append(Place(path: path, kind: .cursor))
            } else if name == "id", schema["format"] == "uuid" {
                found.append(Place(path: path, kind: .id(isUUID: true)))
            } else if !Self.explanations.contains(where: { schema[$0] != nil }), !Self.texts.contains(name),
                // The conditions of a filter compare texts, and credentials of passkeys name no record.
                !path.hasPrefix("/where/"), !path.hasPrefix("/credential/"), Int(name) == nil
            {
                found.append(Place(path: path, kind: .unknown))
            }
        }
        return found
    }

    private static func has(_ schema: JSONValue, _ type: JSONValue) -> Bool {
        schema["type"] == type || schema["type"]?.array.contains(type) == true
    }
}
