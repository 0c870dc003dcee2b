import DomainKit
import Foundation
package import JSON
import Synchronization

/// JSON Schema draft-07 as far as the service's own documents use it; any other keyword is an error of the test.
package struct SchemaValidator: Sendable {
    package struct UnknownKeyword: Error {
        let name: String
    }

    /// Where `#/…` leads.
    package let document: JSONValue

    package init(document: JSONValue) {
        self.document = document
    }

    private static let annotations: Set = [
        "title", "description", "default", "format", "examples", "readOnly", "writeOnly",
    ]

    package func accepts(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
        guard case .object(let keywords) = schema else { throw UnknownKeyword(name: "\(schema)") }
        for keyword in keywords.members where try !holds(keyword.name, keyword.value, of: value, in: schema) {
            return false
        }
        return true
    }

    private func holds(_ keyword: String, _ operand: JSONValue, of value: JSONValue, in schema: JSONValue) throws
        -> Bool
    {
        switch keyword {
        case "$ref": return try accepts(value, target(of: operand.text ?? ""))
        case "type": return elements(operand).contains { isType($0.text ?? "", value) }
        case "enum": return elements(operand).contains(value)
        case "const": return operand == value
        case "anyOf": return try elements(operand).contains { try accepts(value, $0) }
        case "not": return try !accepts(value, operand)
        case "contains":
            guard case .array(let items) = value else { return true }
            return try items.contains { try accepts($0, operand) }
        case "allOf": return try elements(operand).allSatisfy { try accepts(value, $0) }
        case "minimum": return compare(value, operand) { $0 >= $1 }
        case "maximum": return compare(value, operand) { $0 <= $1 }
        case "exclusiveMinimum": return compare(value, operand) { $0 > $1 }
        case "exclusiveMaximum": return compare(value, operand) { $0 < $1 }
        case "multipleOf":
            return compare(value, operand) { number, step in
                var (quotient, whole) = (number / step, Decimal())
                NSDecimalRound(&whole, &quotient, 0, .plain)
                return quotient == whole
            }
        case "minLength": return value.text.map { $0.unicodeScalars.count >= integer(operand) } ?? true
        case "maxLength": return value.text.map { $0.unicodeScalars.count <= integer(operand) } ?? true
        case "pattern":
            guard let text = value.text else { return true }
            let pattern = try Patterns.compiled(operand.text ?? "")
            return pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        case "required":
            return elements(operand).allSatisfy { name in !isObject(value) || value[name.text ?? ""] != nil }
        case "properties":
            guard case .object(let object) = value else { return true }
            return try object.members.allSatisfy { member in
                try operand[member.name].map { try accepts(member.value, $0) } ?? true
            }
        case "additionalProperties":
            guard case .object(let object) = value, operand == false else { return true }
            return object.members.allSatisfy { schema["properties"]?[$0.name] != nil }
        case "items":
            guard case .array(let items) = value else { return true }
            return try items.allSatisfy { try accepts($0, operand) }
        case "minItems":
            guard case .array(let items) = value else { return true }
            return items.count >= integer(operand)
        case "maxItems": return elements(value).count <= integer(operand)
        case "uniqueItems": return Set(elements(value)).count == elements(value).count
        default:
            guard Self.annotations.contains(keyword) || keyword.hasPrefix("x-") else {
                throw UnknownKeyword(name: keyword)
            }
            return true
        }
    }

    package func target(of reference: String) -> JSONValue {
        reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    }

    private func elements(_ value: JSONValue) -> [JSONValue] {
        if case .array(let elements) = value { elements } else { [value] }
    }

    private func isObject(_ value: JSONValue) -> Bool {
        if case .object = value { true } else { false }
    }

    private func isType(_ name: String, _ value: JSONValue) -> Bool {
        switch value {
        case .null: name == "null"
        case .bool: name == "boolean"
        case .number(let digits): name == "number" || name == "integer" && isWhole(digits)
        case .string: name == "string"
        case .array: name == "array"
        case .object: name == "object"
        }
    }

    /// A number without a fraction, however it is written.
    private func isWhole(_ digits: String) -> Bool {
        guard var number = Decimal(string: digits), !number.isNaN else { return false }
        var whole = Decimal()
        NSDecimalRound(&whole, &number, 0, .plain)
        return number == whole
    }

    /// Holds of anything but numbers.
    private func compare(_ value: JSONValue, _ operand: JSONValue, _ holds: (Decimal, Decimal) -> Bool) -> Bool {
        guard case .number(let digits) = value, case .number(let bound) = operand else { return true }
        guard let number = Decimal(string: digits), let bound = Decimal(string: bound), !number.isNaN else {
            return false
        }
        return holds(number, bound)
    }

    private func integer(_ value: JSONValue) -> Int {
        if case .number(let digits) = value { Int(digits) ?? 0 } else { 0 }
    }
}

/// Every pattern is compiled once: validating thousands of answers would else be spent on that.
private enum Patterns {
    private static let known = Mutex<[String: NSRegularExpression]>([:])

    static func compiled(_ pattern: String) throws -> NSRegularExpression {
        try known.withLock { known in
            if let one = known[pattern] { return one }
            let one = try NSRegularExpression(pattern: pattern)
            known[pattern] = one
            return one
        }
    }
}
