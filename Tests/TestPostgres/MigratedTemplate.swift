import Foundation
import Glibc

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
                } catch let error as TestPostgresError {
                    throw TestPostgresError("\(file): \(error)")
                }
            }
            return database.name
        }
        made = task
        return try await task.value
    }
}

/// Where the project's own files are, whatever the working directory.
package enum ProjectFiles {
    /// The folder of Package.swift.
    package static func root(_ thisFile: String = #filePath) throws -> String {
        guard let resolved = realpath(thisFile, nil) else { throw TestPostgresError("no file \(thisFile)") }
        defer { free(resolved) }
        return URL(fileURLWithPath: String(cString: resolved))
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    }

    /// The migrations in their order.
    package static func migrations() throws -> [String] {
        let folder = try root() + "/migrations"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return names.filter { $0.hasSuffix(".sql") && $0.first?.isNumber == true }.sorted().map { "\(folder)/\($0)" }
    }
}
