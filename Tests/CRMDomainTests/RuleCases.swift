import DomainKit
import Foundation

/// The table of cases in `Tests/Cases/rules.json`, which the database is held to as well.
struct RuleCases: Decodable {
    /// The least values that make a record of each table.
    let base: [String: [String: Scalar]]
    /// One column each; Swift and the database agree on all of them.
    let columns: [ColumnCase]
    /// Several columns each, over the base; Swift and the database agree on all of them.
    let records: [RecordCase]
    /// What Swift judges alone, because Postgres would round it or read it more leniently.
    let types: [TypeCase]

    static func load() throws -> RuleCases {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Cases/rules.json")
        return try JSONDecoder().decode(RuleCases.self, from: Data(contentsOf: file))
    }
}

struct ColumnCase: Decodable, Sendable, CustomStringConvertible {
    let table: String
    let column: String
    let value: Value
    let accepted: Bool
    let note: String?

    var description: String { "\(table).\(column) \(accepted ? "takes" : "refuses") \(value) \(note ?? "")" }

    enum CodingKeys: CodingKey { case table, column, value, number, accepted, note }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        table = try container.decode(String.self, forKey: .table)
        column = try container.decode(String.self, forKey: .column)
        accepted = try container.decode(Bool.self, forKey: .accepted)
        note = try container.decodeIfPresent(String.self, forKey: .note)
        value = try container.scalar(number: .number, value: .value)
    }
}

struct RecordCase: Decodable, Sendable, CustomStringConvertible {
    let table: String
    let values: [String: Scalar]
    let accepted: Bool
    let constraint: String?

    var description: String { "\(table) \(accepted ? "takes" : "refuses") \(values.mapValues(\.value))" }
}

struct TypeCase: Decodable, Sendable, CustomStringConvertible {
    let table: String
    let column: String
    let value: Value
    /// Nil: accepted.
    let code: String?

    var description: String { "\(table).\(column) answers \(code ?? "nothing") to \(value)" }

    enum CodingKeys: CodingKey { case table, column, value, number, code }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        table = try container.decode(String.self, forKey: .table)
        column = try container.decode(String.self, forKey: .column)
        code = try container.decodeIfPresent(String.self, forKey: .code)
        value = try container.scalar(number: .number, value: .value)
    }
}

extension KeyedDecodingContainer {
    /// `number` holds the digits of a JSON number as text, so that none is lost on the way; else `value`.
    fileprivate func scalar(number: Key, value: Key) throws -> Value {
        if let digits = try decodeIfPresent(String.self, forKey: number) { return .number(digits) }
        return try decode(Scalar.self, forKey: value).value
    }
}

/// A JSON string, boolean, whole number or null.
struct Scalar: Decodable, Sendable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each `try?` asks whether it is of that type; the last branch reports what is of none.
        if container.decodeNil() {
            value = .null
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else {
            value = .number(String(try container.decode(Int.self)))
        }
    }
}
