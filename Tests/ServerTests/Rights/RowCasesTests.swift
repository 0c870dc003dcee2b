import DomainKit
import Foundation
import JSON
import PostgresDriver
import TestPostgres
import Testing

/// Runs `Tests/Cases/rows.json`: what only psql can write, and what each database role may do. Each case runs in a
/// transaction that is rolled back.
@Suite struct RowCasesTests {
    @Test func `Postgres enforces each case of rows.json`() async throws {
        let file = LearnTrackProcess.projectRoot.appendingPathComponent("Tests/Cases/rows.json")
        let table = try JSONValue.parse(Array(try Data(contentsOf: file)))
        let setup = table.at("/setup").array.compactMap(\.text)
        let cases = table.at("/cases").array
        #expect(cases.count > 100)
        let database = try await TestDatabase.create(migrated: true)
        let client = PostgresClient(.init(connectionString: database.connectionString))
        try await client.withConnection { connection in
            for entry in cases {
                let sql = try #require(entry["sql"]?.text)
                try await connection.simpleQuery("BEGIN")
                for statement in setup { try await connection.simpleQuery(statement) }
                if let role = entry["role"]?.text { try await connection.simpleQuery("SET LOCAL ROLE \(role)") }
                var refusal: PostgresError?
                do throws(PostgresError) { try await connection.simpleQuery(sql) } catch { refusal = error }
                try await connection.simpleQuery("ROLLBACK")
                #expect(refusal?.sqlState == entry["sqlstate"]?.text, "\(entry.json)")
                if let constraint = entry["constraint"]?.text {
                    #expect(refusal?.server?.constraint == constraint, "\(entry.json)")
                }
            }
        }
        await client.shutdown()
        try await database.drop()
    }
}
