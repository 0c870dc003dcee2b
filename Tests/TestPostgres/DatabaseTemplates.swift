import Foundation
import TestSupport

/// The databases of a server that others are copied from: one for each schema, made at its first use.
actor DatabaseTemplates {
    private var made: [String: Task<String, any Error>] = [:]

    /// The name of the template with this schema.
    func name(
        of schema: String, on cluster: TestCluster, fill: @escaping @Sendable (TestDatabase) async throws -> Void
    ) async throws -> String {
        if let made = made[schema] { return try await made.value }
        let task = Task {
            let database = try await TestDatabase.copy(of: nil, on: cluster)
            try await fill(database)
            KeptSessions.shared.end(at: database.connectionString)
            return database.name
        }
        made[schema] = task
        return try await task.value
    }

    /// The template with the migrations of the usual domains, applied with psql, as a person may do.
    func migrated(on cluster: TestCluster) async throws -> String {
        try await name(of: "migrated with psql", on: cluster) { database in
            for file in try ProjectFiles.migrations() {
                let sql = try String(contentsOfFile: file, encoding: .utf8)
                do {
                    _ = try await cluster.psql(sql, at: database.connectionString, options: ["--single-transaction"])
                } catch let error as TestEnvironmentError {
                    throw TestEnvironmentError("\(file): \(error)")
                }
            }
        }
    }
}
