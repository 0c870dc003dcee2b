import DomainKit
import Foundation
import JSON

/// The cases of `Tests/Cases/rules.json`, which are run against the rules in Swift and against the database.
struct RuleCases: Decodable {
    /// The required values of each table.
    let base: [String: [String: Scalar]]
    /// Values of one column, on which Swift and the database agree.
    let columns: [ColumnCase]
    /// Values of several columns, added to the base, on which Swift and the database agree.
    let records: [RecordCase]
    /// Values that only Swift refuses, because Postgres would round them or read them more leniently.
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
    let value: JSONValue
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
    let value: JSONValue
    /// The code of the problem; nil: accepted.
    let code: String?

    var description: String { "\(table).\(column) has the code \(code ?? "none") for \(value)" }

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
    /// The digits of a JSON number in `number`, where they are a text so that none is lost; otherwise `value`.
    fileprivate func scalar(number: Key, value: Key) throws -> JSONValue {
        if let digits = try decodeIfPresent(String.self, forKey: number) { return .number(digits) }
        return try decode(Scalar.self, forKey: value).value
    }
}

/// A JSON string, boolean, whole number or null.
struct Scalar: Decodable, Sendable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each `try?` tests for one type. The last branch throws for a value of none of them.
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
