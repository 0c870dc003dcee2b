import DomainKit
import Foundation
import JSON
import TestSupport

/// JSON values in tests.

extension JSONValue {
    /// Parses with Foundation, which the server does not use, so that a mistake cannot cancel itself out. Digits of numbers are
    /// compared by their text where a test needs them.
    static func parse(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONValue(JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
    }

    private init(_ object: Any) throws {
        // Collections first: a cast to a class converts all of a collection before it fails.
        switch object {
        case let object as [String: Any]:
            self = .object(
                JSONObject(try object.sorted { $0.key < $1.key }.map { .init($0.key, try JSONValue($0.value)) }))
        case let array as [Any]: self = .array(try array.map(JSONValue.init))
        case let text as String: self = .string(text)
        case let number as NSNumber:
            self =
                Self.isBoolean(number)
                ? .bool(number.boolValue) : .number(number.stringValue)
        case is NSNull: self = .null
        default: throw TestEnvironmentError("not JSON: \(object)")
        }
    }

    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    /// The text of this value, for a request.
    var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let object):
            "{" + object.members.map { Self.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    subscript(index: Int) -> JSONValue {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    var array: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var int: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
    var double: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// A JSON Pointer's value.
    func at(_ pointer: String) -> JSONValue {
        pointer.split(separator: "/").reduce(self) { value, token in
            if let index = Int(token), case .array = value { return value[index] }
            return value[String(token)] ?? .null
        }
    }
}
