import AccountsDomain
import CRMDomain
import DomainKit
import JSON
import Testing

/// Runs the cases of `Tests/Cases/rules.json` against the rules in Swift. ServerTests runs them against the database.
@Suite struct RuleTests {
    static let cases = Result { try RuleCases.load() }
    static let entities = CRM.domain.entities.filter { !$0.isView } + Accounts.domain.entities

    private func table(_ name: String) -> Entity? { Self.entities.first { $0.name == name } }

    @Test func `every column accepts exactly the values that the cases name`() throws {
        for entry in try Self.cases.get().columns {
            let column = try #require(table(entry.table)?.column(named: entry.column))
            let error = self.error(column, entry.value)
            #expect((error == nil) == entry.accepted, "\(entry): \(error?.message ?? "accepted")")
        }
    }

    @Test func `every type reads its values exactly, or refuses them with a code`() throws {
        for entry in try Self.cases.get().types {
            let column = try #require(table(entry.table)?.column(named: entry.column))
            #expect(error(column, entry.value)?.code.rawValue == entry.code, "\(entry)")
        }
    }

    @Test func `a violated rule between columns has the path and message of its constraint`() throws {
        let cases = try Self.cases.get()
        for entry in cases.records {
            let entity = try #require(table(entry.table))
            let base = try #require(cases.base[entry.table])
            let values = base.merging(entry.values) { $1 }.sorted { $0.key < $1.key }
            let problems = entity.problems(
                in: JSONObject(values.map { JSONObject.Member($0.key, $0.value.value) }), for: .create)
            #expect(problems.isEmpty == entry.accepted, "\(entry): \(problems)")
            if let constraint = entry.constraint {
                #expect(problems.map(\.code) == [.rule], "\(entry)")
                #expect(
                    problems == [
                        entity.problem(
                            forConstraint: constraint,
                            given: JSONObject(
                                entry.values.map { JSONObject.Member($0.key, $0.value.value) }))
                    ], "\(entry)")
            }
        }
    }

    @Test func `the required values of every table suffice to create a record`() throws {
        for (table, values) in try Self.cases.get().base {
            let entity = try #require(self.table(table))
            let object = JSONObject(values.map { JSONObject.Member($0.key, $0.value.value) })
            #expect(entity.problems(in: object, for: .create) == [])
            for member in object.members {
                let without = JSONObject(object.members.filter { $0.name != member.name })
                #expect(
                    entity.problems(in: without, for: .create).map(\.path) == ["/values/\(member.name)"])
                #expect(entity.problems(in: without, for: .update) == [])
            }
        }
    }

    @Test func `every rule and every format has cases that hold and cases that do not`() throws {
        let cases = try Self.cases.get()
        for entity in Self.entities {
            for column in entity.columns where column.format != nil || column.minimum != nil || column.isRequired {
                let own = cases.columns.filter { $0.table == entity.name && $0.column == column.name }
                #expect(own.contains { $0.accepted } && own.contains { !$0.accepted }, "\(entity.name).\(column.name)")
            }
            for rule in entity.rules where rule.holds != nil {
                #expect(cases.records.contains { $0.constraint == rule.constraint }, "\(rule.constraint)")
            }
        }
    }

    @Test func `every format documents an example that it accepts`() throws {
        for column in Self.entities.flatMap(\.columns) {
            guard let format = column.format else { continue }
            let example = try #require(format.example, "\(format.name)")
            #expect(format.accepts(example), "\(format.name): \(example)")
        }
    }

    @Test func `the pattern of a format matches exactly the texts that the format accepts`() throws {
        // A pattern cannot verify a checksum.
        let checked = ["siret"]
        var patterns: [String: Regex<AnyRegexOutput>] = [:]
        var count = 0
        for item in try Self.cases.get().columns {
            guard let format = table(item.table)?.column(named: item.column)?.format, let text = item.value.text
            else { continue }
            let source = try #require(format.pattern, "\(format.name)")
            let pattern = try patterns[source] ?? Regex(source).matchingSemantics(.unicodeScalar)
            patterns[source] = pattern
            let isMatched = try pattern.wholeMatch(in: text) != nil
            if format.accepts(text) || !checked.contains(format.name) {
                #expect(isMatched == format.accepts(text), "\(format.name): \(text)")
            }
            count += 1
        }
        #expect(count > 100)
    }

    private func error(_ column: Column, _ value: JSONValue) -> ValueError? {
        do throws(ValueError) {
            try column.check(value)
            return nil
        } catch {
            return error
        }
    }
}
