import Foundation
import Glibc
import Synchronization
import TestSupport

/// A database of a test's own, made in a moment as a copy of a migrated template.
///
/// It goes when `drop()` is called and, at the latest, when the test process ends. `with` does both for a test.
package final class TestDatabase: Sendable {
    package let name: String
    package let cluster: TestCluster
    package let connectionString: String

    /// Names of this process's databases start so: others may use the same server at the same time.
    static let prefix = "lt_" + String(UInt32.random(in: .min ... .max), radix: 36) + "_"
    private static let count = Atomic<Int>(0)

    /// - Parameter migrated: whether it has the project's migrations, or is empty.
    package static func create(migrated: Bool = true, on cluster: TestCluster? = nil) async throws -> TestDatabase {
        let cluster = if let cluster { cluster } else { try await TestCluster.shared() }
        let template = migrated ? try await cluster.template.name(on: cluster) : nil
        return try await copy(of: template, on: cluster)
    }

    /// Runs `body` with a new database and drops it afterwards.
    package static func with<R: Sendable>(
        migrated: Bool = true, _ body: (TestDatabase) async throws -> R
    ) async throws -> R {
        let database = try await create(migrated: migrated)
        let result: R
        do {
            result = try await body(database)
        } catch {
            try await database.drop()
            throw error
        }
        try await database.drop()
        return result
    }

    /// What psql prints for `sql`: values only, fields separated by `|`.
    @discardableResult
    package func psql(_ sql: String) async throws -> String {
        try await cluster.psql(sql, at: connectionString)
    }

    /// Drops the database, ending connections that are still open.
    package func drop() async throws {
        try await cluster.psql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    static func copy(of template: String?, on cluster: TestCluster) async throws -> TestDatabase {
        let name = prefix + String(count.add(1, ordering: .relaxed).newValue)
        let source = template.map { " TEMPLATE \($0)" } ?? ""
        for attempt in 1... {
            do {
                try await cluster.psql("CREATE DATABASE \(name)\(source)")
                break
            } catch let error as TestEnvironmentError
                where error.description.contains("being accessed by other users") && attempt < 60
            {
                // Another process copies template1, or something of the server's looks at the template.
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        return TestDatabase(name: name, cluster: cluster)
    }

    private init(name: String, cluster: TestCluster) {
        self.name = name
        self.cluster = cluster
        connectionString = cluster.connectionString(database: name)
    }
}
