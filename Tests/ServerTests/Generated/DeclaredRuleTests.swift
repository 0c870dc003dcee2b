import DomainKit
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// kernel.md, "The design's test": "rules equal on both sides". What an entity's declaration refuses, Postgres refuses too, by
/// the constraint that has the declaration's name; what it accepts, Postgres accepts. `DatabaseRulesTests` has cases that
/// are written by hand.
@Suite struct DeclaredRuleTests {
    /// The SQLSTATEs by which a type refuses a value: too long, out of range, no text of the type.
    private static let types: Set = ["22001", "22003", "22007", "22008", "22P02"]

    private struct Case {
        let values: JSONObject
        /// The names of the constraints that may refuse it; nil: it is accepted.
        let constraints: Set<String>?
    }

    @Test(arguments: SystemUnderTest.all)
    func `Postgres refuses what the columns and rules of an entity refuse, by their constraints, and accepts the rest`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        let client = PostgresClient(.init(connectionString: served.server.database.connectionString))
        let (refused, accepted) = try await client.withConnection { connection in
            var (refused, accepted) = (0, 0)
            for (entity, schema, _) in system.tables {
                let table = "\(schema).\(entity.name)"
                let columns = entity.writableColumns(for: .create)
                let row = try await connection.query(
                    Statement("SELECT id::text, to_jsonb(t)::text FROM \(table) t ORDER BY id LIMIT 1"))
                let id = try #require(row.text(0, 0), "\(table) has no row")
                let stored = try JSONValue.parse(Array((row.text(0, 1) ?? "").utf8))
                // Everything that the table needs, also what no call gives.
                guard case .object(let all) = stored else { throw TestEnvironmentError("not an object") }
                let generated: Set = ["id", "created_at", "updated_at", "version"]
                let kept = all.members.filter { member in
                    entity.column(named: member.name) != nil && !generated.contains(member.name)
                }
                let names = kept.map { "\"\($0.name)\"" }.joined(separator: ", ")
                let insertion = Statement(
                    "INSERT INTO \(table) (\(names)) SELECT \(names) FROM jsonb_populate_record(NULL::\(table), $1::jsonb)"
                )
                for entry in try Self.cases(of: entity, columns, stored) {
                    let values = JSONValue.merging(
                        kept.map { ($0.name, $0.value) } + entry.values.members.map { ($0.name, $0.value) })
                    try await connection.simpleQuery("BEGIN")
                    // The row that the values are of makes room for those that are unique.
                    try await connection.simpleQuery(
                        """
                        SET LOCAL session_replication_role = replica; DELETE FROM \(table) WHERE id = \(id);
                        SET LOCAL session_replication_role = origin
                        """)
                    var refusal: PostgresError?
                    do throws(PostgresError) { _ = try await connection.query(insertion, [.text(values.json)]) } catch {
                        refusal = error
                    }
                    try await connection.simpleQuery("ROLLBACK")
                    let place: Comment = "\(table) \(JSONValue.object(entry.values).json): \(refusal.debugDescription)"
                    guard let constraints = entry.constraints else {
                        accepted += 1
                        #expect(refusal == nil, place)
                        continue
                    }
                    refused += 1
                    let state = refusal?.sqlState ?? "accepted"
                    let isType = Self.types.contains(state) || state == "23502"
                    #expect(isType || constraints.contains(refusal?.server?.constraint ?? ""), place)
                }
            }
            return (refused, accepted)
        }
        await client.shutdown()
        #expect(refused > 3 * system.tables.count && accepted > system.tables.count, "\(refused), \(accepted)")
    }

    // MARK: Cases

    private static func cases(of entity: Entity, _ columns: [Column], _ stored: JSONValue) throws -> [Case] {
        var cases = [Case(values: [:], constraints: nil)]
        for column in columns {
            for value in values(around: column) {
                let given = JSONObject([.init(column.name, value)])
                let isAccepted = accepts(column, value)
                // A value that the column accepts may violate a rule with the other values of the row.
                let violated = isAccepted ? violations(of: entity, stored, given) : []
                cases.append(
                    Case(
                        values: given,
                        constraints: isAccepted && violated.isEmpty
                            ? nil : violated.union(["\(entity.name)_\(column.name)_check"])))
            }
        }
        for rule in entity.rules where rule.holds != nil && rule.effect == .invalid {
            let ruled = rule.columns.compactMap { entity.column(named: $0) }
            let combinations = ruled.reduce([[]] as [[JSONObject.Member]]) { combinations, column in
                combinations.flatMap { combination in
                    (samples(of: column) + [stored[column.name] ?? .null]).filter { !$0.isNull && accepts(column, $0) }
                        .map { combination + [JSONObject.Member(column.name, $0)] }
                }
            }
            var found: [Bool: Int] = [:]
            for combination in combinations {
                let given = JSONObject(combination)
                let violated = violations(of: entity, stored, given)
                found[violated.contains(rule.constraint), default: 0] += 1
                cases.append(Case(values: given, constraints: violated.isEmpty ? nil : violated))
            }
            try #require(found[true] ?? 0 > 0, "no values are made up that violate \(rule.constraint)")
            try #require(found[false] ?? 0 > 0, "no values are made up that \(rule.constraint) accepts")
        }
        return cases
    }

    private static func accepts(_ column: Column, _ value: JSONValue) -> Bool {
        do throws(ValueError) {
            try column.check(value)
            return true
        } catch {
            return false
        }
    }

    /// The constraints of the rules that a row with these values violates.
    private static func violations(of entity: Entity, _ stored: JSONValue, _ given: JSONObject) -> Set<String> {
        Set(
            entity.rules.filter { rule in
                guard rule.effect == .invalid, let holds = rule.holds else { return false }
                var values: [String: JSONValue] = [:]
                for name in rule.columns { values[name] = given[name] ?? stored[name] ?? .null }
                return values.values.allSatisfy { !$0.isNull } && !holds(values)
            }.map(\.constraint))
    }

    /// Values on both sides of what a column accepts. References are left to foreign keys, and JSON to its shape, which only
    /// the server checks.
    private static func values(around column: Column) -> [JSONValue] {
        if case .json = column.type { return column.isNullable ? [.null] : [] }
        var values: [JSONValue] = [.null]
        if column.type == .bigint { return values }
        values += samples(of: column)
        switch column.type {
        case .text(let maxLength):
            if let maxLength, maxLength < 2_000, column.format == nil {
                values.append(.string(String(repeating: "é", count: maxLength)))
            }
            if let maxLength { values.append(.string(String(repeating: "é", count: maxLength + 1))) }
            if !column.isNullable { values += ["", " ", "\t\u{A0}\u{3000}"] }
            if column.format != nil { values.append("&&&") }
        case .choice: values += ["pas_un_mot", ""]
        case .smallint(let range): values += [JSONValue(range.lowerBound - 1), JSONValue(range.upperBound + 1)]
        case .decimal(let precision, let scale):
            let digits = precision - scale
            values += [.number("1" + String(repeating: "0", count: digits))]
        case .date: values += ["0001-01-01", "9999-12-31", "2026-02-30"]
        default: break
        }
        if column.type.isNumeric {
            values += [column.minimum.map { $0 - 1 }, column.maximum.map { $0 + 1 }].compactMap {
                $0.map { JSONValue($0) }
            }
            for number in column.allowedNumbers ?? [] { values += [JSONValue(number - 1), JSONValue(number + 1)] }
        }
        return values
    }

    /// Values of a column's type, of which it accepts some.
    private static func samples(of column: Column) -> [JSONValue] {
        switch column.type {
        case .bigint: return []
        case .integer, .smallint:
            if let numbers = column.allowedNumbers { return numbers.map { JSONValue($0) } }
            if case .smallint(let range) = column.type {
                return [JSONValue(range.lowerBound), JSONValue(range.upperBound)]
            }
            return [column.minimum ?? 1, column.maximum ?? 7].map { JSONValue($0) }
        case .decimal: return [JSONValue(column.minimum ?? 0), .number("1.5")]
        case .text: return column.format.map { $0.example.map { [.string($0)] } ?? [] } ?? ["Un texte"]
        // The other words of the type are for commands: Postgres has them, and refuses them to calls by its policies.
        case .choice(let choices): return (column.acceptedWords ?? choices.words).map { .string($0) }
        case .boolean: return [true, false]
        case .date: return ["2026-01-12", "2026-03-02"]
        case .time: return ["08:15:00", "11:30:00", "18:45:00"]
        case .timestamp: return ["2026-01-12T08:30:00Z", "2026-03-02T08:30:00Z"]
        case .uuid: return ["3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48"]
        case .json: return []
        }
    }
}
