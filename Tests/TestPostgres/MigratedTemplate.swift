import Foundation
import Glibc
import TestSupport

/// The database that migrated ones are copied from: migrated once per server, by psql as anyone would by hand.
actor MigratedTemplate {
    private var made: Task<String, any Error>?

    func name(on cluster: TestCluster) async throws -> String {
        if let made { return try await made.value }
        let task = Task {
            let database = try await TestDatabase.copy(of: nil, on: cluster)
            for file in try ProjectFiles.migrations() {
                let sql = try String(contentsOfFile: file, encoding: .utf8)
                do {
                    _ = try await cluster.psql(sql, at: database.connectionString, options: ["--single-transaction"])
                } catch let error as TestEnvironmentError {
                    throw TestEnvironmentError("\(file): \(error)")
                }
            }
            return database.name
        }
        made = task
        return try await task.value
    }
}
