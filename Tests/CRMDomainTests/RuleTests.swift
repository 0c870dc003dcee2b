import CRMDomain
import DomainKit
import Testing

@Suite struct `The rules of the table of cases hold in Swift` {
    static let cases = Result { try RuleCases.load() }

    @Test func `Every column takes what the table says and refuses the rest`() throws {
        for entry in try Self.cases.get().columns {
            let column = try #require(CRM.domain.entity(named: entry.table)?.column(named: entry.column))
            let fault = fault(column, entry.value)
            #expect((fault == nil) == entry.accepted, "\(entry): \(fault?.message ?? "taken")")
        }
    }

    @Test func `Every type is read exactly or refused with its code`() throws {
        for entry in try Self.cases.get().types {
            let column = try #require(CRM.domain.entity(named: entry.table)?.column(named: entry.column))
            #expect(fault(column, entry.value)?.code.rawValue == entry.code, "\(entry)")
        }
    }

    @Test func `Rules between columns hold, and a breach says where`() throws {
        let cases = try Self.cases.get()
        for entry in cases.records {
            let entity = try #require(CRM.domain.entity(named: entry.table))
            let base = try #require(cases.base[entry.table])
            let values = base.merging(entry.values) { $1 }.sorted { $0.key < $1.key }
            let problems = entity.problems(
                in: Object(values.map { Object.Member($0.key, $0.value.value) }), for: .create)
            #expect(problems.isEmpty == entry.accepted, "\(entry): \(problems)")
            if let constraint = entry.constraint {
                #expect(problems.map(\.code) == [.rule], "\(entry)")
                #expect(
                    problems == [
                        entity.problem(
                            forConstraint: constraint,
                            given: Object(
                                entry.values.map { Object.Member($0.key, $0.value.value) }))
                    ], "\(entry)")
            }
        }
    }

    @Test func `The least values of every table are enough to create it`() throws {
        for (table, values) in try Self.cases.get().base {
            let entity = try #require(CRM.domain.entity(named: table))
            let object = Object(values.map { Object.Member($0.key, $0.value.value) })
            #expect(entity.problems(in: object, for: .create) == [])
            for member in object.members {
                let without = Object(object.members.filter { $0.name != member.name })
                #expect(
                    entity.problems(in: without, for: .create).map(\.path) == ["/values/\(member.name)"])
                #expect(entity.problems(in: without, for: .update) == [])
            }
        }
    }

    @Test func `Every rule and every format of the domain has cases on both sides`() throws {
        let cases = try Self.cases.get()
        for entity in CRM.domain.entities {
            for column in entity.columns where column.format != nil || column.minimum != nil || column.isRequired {
                let own = cases.columns.filter { $0.table == entity.name && $0.column == column.name }
                #expect(own.contains { $0.accepted } && own.contains { !$0.accepted }, "\(entity.name).\(column.name)")
            }
            for rule in entity.rules where rule.holds != nil {
                #expect(cases.records.contains { $0.constraint == rule.constraint }, "\(rule.constraint)")
            }
        }
    }

    private func fault(_ column: Column, _ value: Value) -> ValueFault? {
        do throws(ValueFault) {
            try column.check(value)
            return nil
        } catch {
            return error
        }
    }
}
