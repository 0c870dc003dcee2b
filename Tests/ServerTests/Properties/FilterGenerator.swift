import DomainKit
import JSON
import TestSupport

/// Generates valid filters: every operator that a field's type has, with values that rows hold or nearly hold.
struct FilterGenerator {
    let world: SmallWorld
    private var random: SeededGenerator

    init(_ world: SmallWorld, seed: UInt64) {
        self.world = world
        random = SeededGenerator(seed: seed)
    }

    mutating func filter(on entity: Entity, depth: Int = 0) -> JSONValue {
        var members: [(String, JSONValue)] = []
        for _ in 0..<(random.chance(0.05) ? 0 : random.number(1...2)) {
            let (name, value) = member(of: entity, depth: depth)
            if !members.contains(where: { $0.0 == name }) { members.append((name, value)) }
        }
        return .object(JSONObject(members.map { .init($0.0, $0.1) }))
    }

    private mutating func member(of entity: Entity, depth: Int) -> (String, JSONValue) {
        if depth < 3, random.chance(0.35) {
            switch random.number(0...3) {
            case 0: return ("not", filter(on: entity, depth: depth + 1))
            case 1:
                let count = random.chance(0.1) ? 0 : random.number(1...3)
                return (
                    random.pick(["or", "and"]), .array((0..<count).map { _ in filter(on: entity, depth: depth + 1) })
                )
            default:
                if let relation = entity.relations.randomElement(using: &random) { return related(relation, depth) }
            }
        }
        let field = random.pick(entity.specs)
        return (field.name, condition(on: field, of: entity))
    }

    private mutating func related(_ relation: Relation, _ depth: Int) -> (String, JSONValue) {
        guard let target = world.entity(relation.target) else { return (relation.name, .null) }
        if relation.toOneColumn != nil {
            return (relation.name, random.chance(0.15) ? .null : filter(on: target, depth: depth + 1))
        }
        var quantifiers: [JSONObject.Member] = []
        for name in ["some", "none"] where random.chance(0.6) {
            quantifiers.append(.init(name, filter(on: target, depth: depth + 1)))
        }
        return (relation.name, .object(JSONObject(quantifiers)))
    }

    private mutating func condition(on field: FieldSpec, of entity: Entity) -> JSONValue {
        if random.chance(0.2) { return random.chance(0.2) ? .null : value(of: field, in: entity) }
        var operations: [JSONObject.Member] = []
        for _ in 0..<random.number(1...2) {
            let name = random.pick(Operators.sensible(for: field.type))
            if !operations.contains(where: { $0.name == name }) {
                operations.append(.init(name, operand(of: name, field, entity)))
            }
        }
        return .object(JSONObject(operations))
    }

    private mutating func operand(of name: String, _ field: FieldSpec, _ entity: Entity) -> JSONValue {
        switch name {
        case "is_null": return .bool(random.chance(0.5))
        case "in", "nin":
            return .array(
                (0..<random.number(0...3)).map { _ in random.chance(0.15) ? .null : value(of: field, in: entity) })
        case "like", "ilike": return .string(pattern(value(of: field, in: entity).text ?? ""))
        case "eq", "ne": return random.chance(0.1) ? .null : value(of: field, in: entity)
        default: return value(of: field, in: entity)
        }
    }

    /// A valid value of the field: one that a row holds, or one near it.
    private mutating func value(of field: FieldSpec, in entity: Entity) -> JSONValue {
        let held = world.rows(entity.name).compactMap { $0[field.name] }.filter { !$0.isNull }
        switch field.type {
        case .boolean: return .bool(random.chance(0.5))
        case .choice(let choices): return .string(random.pick(choices.words))
        case .smallint(let range): return JSONValue(random.number(range))
        default: break
        }
        guard let value = held.randomElement(using: &random) else {
            switch field.type {
            case .text: return "x"
            case .bigint, .integer, .decimal: return 0
            case .date: return "2020-01-01"
            case .time: return "09:00:00"
            case .timestamp: return "2026-01-01T10:00:00+00:00"
            default: return "00000000-0000-4000-8000-000000000001"
            }
        }
        guard random.chance(0.3) else { return value }
        switch (field.type, value) {
        case (.bigint, _), (.integer, _): return JSONValue((value.int ?? 0) + random.number(-1...1))
        case (.decimal, .number(let digits)): return .number(random.pick([digits, "100.25", "-1", "100.500"]))
        case (.text, .string(let text)):
            return .string(random.pick([text.uppercased(), String(text.dropLast()), text + "a", "", "m", "e"]))
        default: return value
        }
    }

    private mutating func pattern(_ text: String) -> String {
        let escaped = text.map { "%_\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        switch random.number(0...4) {
        case 0: return escaped + "%"
        case 1: return "%" + String(text.suffix(2).filter { $0 != "\\" }) + "%"
        case 2: return String(text.map { _ in "_" })
        case 3: return "%" + (text.first.map { String($0).uppercased() } ?? "") + "%"
        default: return escaped
        }
    }
}

enum Operators {
    static let all = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "like", "ilike", "is_null"]

    static func sensible(for type: FieldType) -> [String] {
        all.filter { name in
            switch name {
            case "like", "ilike": type.isText
            case "lt", "lte", "gt", "gte": type != .boolean && type.isComparable
            case "in", "nin": type.isComparable
            default: true
            }
        }
    }
}

extension SmallWorld {
    func entity(_ name: String) -> Entity? {
        do { return try Entity.named(name) } catch { return nil }
    }
}
