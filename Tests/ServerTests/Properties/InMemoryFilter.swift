import DomainKit
import Foundation
import JSON
import TestSupport

/// Filters rows in memory, independently of the code under test, with SQL's three-valued logic; nil is unknown.
struct InMemoryFilter {
    let world: SmallWorld

    func rows(of entity: Entity, where filter: JSONValue) throws -> [Int] {
        try world.rows(entity.name).filter { try holds(filter, $0, entity) == true }.compactMap { $0["id"]?.int }
    }

    /// The rows that the filter matches.
    func holds(_ filter: JSONValue, _ row: JSONValue, _ entity: Entity) throws -> Bool? {
        guard case .object(let object) = filter else { throw TestEnvironmentError("no filter: \(filter.json)") }
        return Self.all(try object.members.map { try member($0.name, $0.value, row, entity) })
    }

    private func member(_ name: String, _ value: JSONValue, _ row: JSONValue, _ entity: Entity) throws -> Bool? {
        switch name {
        case "and": return Self.all(try value.array.map { try holds($0, row, entity) })
        case "or":
            return Self.not(Self.all(try value.array.map { Self.not(try holds($0, row, entity)) }))
        case "not": return Self.not(try holds(value, row, entity))
        default: break
        }
        if let field = entity.specs.first(where: { $0.name == name }) {
            let own = row[name] ?? .null
            guard case .object(let operations) = value else { return Self.compare("eq", own, value, field.type) }
            return Self.all(operations.members.map { Self.compare($0.name, own, $0.value, field.type) })
        }
        guard let relation = entity.relation(named: name) else { throw TestEnvironmentError("no field \(name)") }
        let target = try Entity.named(relation.target)
        if let column = relation.toOneColumn {
            if value.isNull { return row[column]?.isNull ?? true }
            guard let related = world.related(row, by: column, in: target.name) else { return false }
            return try holds(value, related, target) == true
        }
        guard let column = relation.toManyColumn, case .object(let quantifiers) = value else {
            throw TestEnvironmentError("no relation filter: \(value.json)")
        }
        let many = world.rows(target.name).filter { $0[column] == row["id"] }
        return Self.all(
            try quantifiers.members.map { quantifier in
                let some = try many.contains { try holds(quantifier.value, $0, target) == true }
                return quantifier.name == "some" ? some : !some
            })
    }

    // MARK: Values

    private static func compare(_ name: String, _ own: JSONValue, _ value: JSONValue, _ type: FieldType) -> Bool? {
        switch name {
        case "is_null": return own.isNull == (value.bool ?? false)
        case "eq" where value.isNull: return own.isNull
        case "ne" where value.isNull: return !own.isNull
        case "in", "nin":
            let found = not(
                all(value.array.map { element in not(element.isNull ? nil : compare("eq", own, element, type)) }))
            return name == "in" ? found : not(found)
        default: break
        }
        guard !own.isNull else { return nil }
        switch name {
        case "eq": return isSame(own, value, type)
        case "ne": return !isSame(own, value, type)
        case "like": return Pattern.matches(own.text ?? "", value.text ?? "")
        case "ilike": return Pattern.matches((own.text ?? "").lowercased(), (value.text ?? "").lowercased())
        case "lt": return InMemoryOrder.isLess(own, value, type)
        case "gte": return !InMemoryOrder.isLess(own, value, type)
        case "gt": return InMemoryOrder.isLess(value, own, type)
        default: return !InMemoryOrder.isLess(value, own, type)
        }
    }

    private static func isSame(_ left: JSONValue, _ right: JSONValue, _ type: FieldType) -> Bool {
        if type.isNumeric { return left.double == right.double }
        if case .string(let left) = left, case .string(let right) = right {
            return Array(left.utf8) == Array(right.utf8)
        }
        return left == right
    }

    private static func all(_ values: [Bool?]) -> Bool? {
        if values.contains(false) { return false }
        return values.contains(nil) ? nil : true
    }

    private static func not(_ value: Bool?) -> Bool? { value.map { !$0 } }
}

/// Matches a LIKE pattern: `%`, `_`, and `\\` as escape.
private enum Pattern {
    static func matches(_ text: String, _ pattern: String) -> Bool {
        matches(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
    }

    private static func matches(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let sign = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch sign {
        case "%": return (0...text.count).contains { matches(text.dropFirst($0), rest) }
        case "_": return !text.isEmpty && matches(text.dropFirst(), rest)
        case "\\": return text.first != nil && text.first == rest.first && matches(text.dropFirst(), rest.dropFirst())
        default: return text.first == sign && matches(text.dropFirst(), rest)
        }
    }
}
