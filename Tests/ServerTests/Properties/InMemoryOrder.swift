import DomainKit
import Foundation
import JSON
import TestSupport

/// Sorts rows in memory by the rules of `order_by`, independently of the code under test.
struct InMemoryOrder {
    let world: SmallWorld

    func ids(of entity: Entity, by order: [String]) throws -> [Int] {
        let terms = try (order + ["id"]).map { try term($0, entity) }
        let keyed = world.rows(entity.name).map { row in (row["id"]?.int ?? 0, terms.map { $0.value(row) }) }
        return keyed.sorted { left, right in
            for (index, term) in terms.enumerated() {
                let (one, other) = (left.1[index], right.1[index])
                // Nulls are last in both directions.
                if one.isNull || other.isNull {
                    if one.isNull != other.isNull { return other.isNull }
                    continue
                }
                if Self.sorts(one, before: other, term.type) { return !term.isDescending }
                if Self.sorts(other, before: one, term.type) { return term.isDescending }
            }
            return false
        }.map(\.0)
    }

    private struct Term {
        let type: FieldType
        let isDescending: Bool
        let value: (JSONValue) -> JSONValue
    }

    private func term(_ spelling: String, _ entity: Entity) throws -> Term {
        let isDescending = spelling.hasPrefix("-")
        let names = spelling.dropFirst(isDescending ? 1 : 0).split(separator: ".").map(String.init)
        var place = entity
        var steps: [(column: String, table: String)] = []
        for name in names.dropLast() {
            guard let relation = place.relation(named: name), let column = relation.toOneColumn else {
                throw TestEnvironmentError("no relation \(name)")
            }
            steps.append((column, relation.target))
            place = try Entity.named(relation.target)
        }
        guard let name = names.last, let field = place.specs.first(where: { $0.name == name }) else {
            throw TestEnvironmentError("no field \(spelling)")
        }
        return Term(type: field.type, isDescending: isDescending) { [world] row in
            var row = row
            for step in steps {
                guard let next = world.related(row, by: step.column, in: step.table) else { return .null }
                row = next
            }
            return row[name] ?? .null
        }
    }

    /// In lists: names by the rules of French, other values as conditions compare them.
    static func sorts(_ left: JSONValue, before right: JSONValue, _ type: FieldType) -> Bool {
        guard case .text = type else { return isLess(left, right, type) }
        return French.weights(left.text ?? "").lexicographicallyPrecedes(French.weights(right.text ?? ""))
    }

    /// In conditions: text, dates and times by code points.
    static func isLess(_ left: JSONValue, _ right: JSONValue, _ type: FieldType) -> Bool {
        if type.isNumeric { return (left.double ?? 0) < (right.double ?? 0) }
        if case .bool(let left) = left, case .bool(let right) = right { return !left && right }
        return Array((left.text ?? "").utf8).lexicographicallyPrecedes(Array((right.text ?? "").utf8))
    }
}

/// The first level of the French alphabet, for the characters that the tests' rows hold.
private enum French {
    private static let alphabet = Array(" _-,;:!?.'@*/%+0123456789abcdefghijklmnopqrstuvwxyz")

    /// A number within the text weighs as a digit, and then by its value: by the count of its digits, and by these.
    static func weights(_ text: String) -> [Int] {
        var weights: [Int] = []
        var rest = text.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)[...]
        while let character = rest.first {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard digits.isEmpty else {
                let value = digits.drop { $0 == "0" }
                weights += [weight(of: "0"), value.count] + value.map(weight)
                rest = rest.dropFirst(digits.count)
                continue
            }
            weights.append(weight(of: character))
            rest = rest.dropFirst()
        }
        return weights
    }

    private static func weight(of character: Character) -> Int {
        guard let weight = alphabet.firstIndex(of: character) else {
            preconditionFailure("give \(character) a weight")
        }
        return weight
    }
}
