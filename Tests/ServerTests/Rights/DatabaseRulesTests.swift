import DomainKit
import Foundation
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// Runs `Tests/Cases/rules.json`, which `CRMDomainTests` runs against the Swift rules, against the database's
/// constraints, so that rows that psql inserts obey the same rules.
@Suite struct DatabaseRulesTests {
    /// One case: a complete row and the expected result.
    private struct Case {
        let table: String
        let row: JSONValue
        let isAccepted: Bool
        /// The SQLSTATE of the expected error.
        let sqlState: String
        let constraint: String?
    }

    private func file() throws -> JSONValue {
        let file = LearnTrackProcess.projectRoot.appendingPathComponent("Tests/Cases/rules.json")
        return try JSONValue.parse(Array(try Data(contentsOf: file)))
    }

    private func cases(in json: JSONValue) throws -> [Case] {
        func row(_ table: String, _ values: [(String, JSONValue)]) -> JSONValue {
            guard case .object(let base) = json.at("/base/\(table)") else { return .merging(values) }
            return .merging(base.members.map { ($0.name, $0.value) } + values)
        }
        let columns = json.at("/columns").array.map { entry in
            let table = entry["table"]?.text ?? ""
            let column = entry["column"]?.text ?? ""
            let state = entry["sqlstate"]?.text ?? "23514"
            return Case(
                table: table, row: row(table, [(column, value(entry))]),
                isAccepted: entry["accepted"] == true,
                sqlState: state, constraint: state == "23514" ? "\(table)_\(column)_check" : nil)
        }
        let records = json.at("/records").array.map { entry in
            var values: [(String, JSONValue)] = []
            if case .object(let object)? = entry["values"] { values = object.members.map { ($0.name, $0.value) } }
            let table = entry["table"]?.text ?? ""
            return Case(
                table: table, row: row(table, values), isAccepted: entry["accepted"] == true, sqlState: "23514",
                constraint: entry["constraint"]?.text)
        }
        return columns + records
    }

    /// `"number"` holds the exact digits of a number, which JSON parsers may lose; Postgres parses them from text.
    private func value(_ entry: JSONValue) -> JSONValue {
        entry["number"] ?? entry["value"] ?? .null
    }

    @Test func `the database enforces each case of rules.json`() async throws {
        let file = try file()
        let cases = try cases(in: file)
        #expect(cases.count > 100)
        let database = try await TestDatabase.create(migrated: true)
        for sql in file.at("/setup").array.compactMap(\.text) { try await database.psql(sql) }
        let client = PostgresClient(.init(connectionString: database.connectionString))
        try await client.withConnection { connection in
            for entry in cases {
                guard case .object(let row) = entry.row else {
                    throw TestEnvironmentError("not an object: \(entry.row.json)")
                }
                let names = row.members.map { "\"\($0.name)\"" }.joined(separator: ", ")
                // Rolled back, so that unique columns accept the same value again.
                let insert = Statement(
                    "WITH row AS (INSERT INTO \(entry.table) (\(names)) SELECT \(names)"
                        + " FROM json_populate_record(NULL::\(entry.table), $1::json) RETURNING 1) SELECT count(*) FROM row"
                )
                try await connection.simpleQuery("BEGIN")
                var refusal: PostgresError?
                do throws(PostgresError) { _ = try await connection.query(insert, [.text(entry.row.json)]) } catch {
                    refusal = error
                }
                try await connection.simpleQuery("ROLLBACK")
                #expect(
                    (refusal == nil) == entry.isAccepted,
                    "\(entry.table) \(entry.row.json): \(refusal?.server?.message ?? "accepted")")
                if let refusal, !entry.isAccepted {
                    #expect(refusal.sqlState == entry.sqlState, "\(entry.row.json)")
                    if let constraint = entry.constraint {
                        #expect(refusal.server?.constraint == constraint, "\(entry.row.json)")
                    }
                }
            }
        }
        await client.shutdown()
        try await database.drop()
    }
}
