import DomainKit
import JSON
import QueryCompiler
import Testing

/// Domains whose tables are in another Postgres schema than `public`.
struct SchemaNameTests {
    private static let planning = Planner(
        domains: [Domain(name: "planning", entities: Sample.domain.entities)], sortCollation: "francais")

    @Test(arguments: GoldenTests.examples)
    func `tables, sequences and functions have their schema wherever they occur`(_ example: GoldenTests.Example) throws
    {
        let unqualified = try example.queries(Sample.planner()).map(\.statement.text)
        let tables = Sample.domain.entities.map(\.name)
        let functions = Set(
            Sample.domain.entities.flatMap { entity in
                entity.derived.flatMap { [$0.function, $0.prefilter] } + [entity.search?.function]
            }.compactMap { $0 })
        let expected = unqualified.map { text in
            var text = text
            for table in tables {
                for word in ["FROM", "JOIN", "INTO", "UPDATE"] {
                    text = text.replacing("\(word) \(table) ", with: "\(word) planning.\(table) ")
                    text = text.replacing("\(word) \(table)\n", with: "\(word) planning.\(table)\n")
                }
                text = text.replacing("currval('\(table)_id_seq')", with: "currval('planning.\(table)_id_seq')")
            }
            for function in functions {
                text = text.replacing("\(function)(t", with: "planning.\(function)(t")
            }
            return text
        }
        #expect(try example.queries(Self.planning).map(\.statement.text) == expected)
    }

    @Test func `a schema is quoted where SQL requires it`() throws {
        let planner = Planner(domains: [Domain(name: "user", entities: Sample.domain.entities)])
        let text = try planner.list(Sample.clients, ["select": "{ id }"]).query.statement.text
        #expect(text.contains("FROM \"user\".clients "), "\(text)")
    }
}
