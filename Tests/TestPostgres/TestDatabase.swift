import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A new database for a test, copied from a migrated template within milliseconds.
///
/// It is dropped by `drop()`, at the end of `with`, or when the test process ends.
package final class TestDatabase: Sendable {
    package let name: String
    package let cluster: TestCluster
    package let connectionString: String

    /// The prefix of this process's database names: another process may use the same server at the same time.
    static let prefix = "lt_" + String(UInt32.random(in: .min ... .max), radix: 36) + "_"
    private static let count = Atomic<Int>(0)

    /// - Parameters:
    ///   - migrated: whether to apply the migrations of this project; otherwise the database is empty.
    ///   - cluster: the server; by default the shared one.
    package static func create(migrated: Bool = true, on cluster: TestCluster? = nil) async throws -> TestDatabase {
        let cluster = if let cluster { cluster } else { try await TestCluster.shared() }
        let template = migrated ? try await cluster.templates.migrated(on: cluster) : nil
        return try await copy(of: template, on: cluster)
    }

    /// Creates a database that is like others with the same schema.
    ///
    /// - Parameters:
    ///   - schema: a name for what `fill` makes. The first database of a server with this schema is filled, the others are
    ///     copies of it.
    ///   - fill: brings an empty database to the schema, and leaves no connection to it.
    package static func create(
        like schema: String, on cluster: TestCluster? = nil,
        fill: @escaping @Sendable (TestDatabase) async throws -> Void
    ) async throws -> TestDatabase {
        let cluster = if let cluster { cluster } else { try await TestCluster.shared() }
        return try await copy(of: try await cluster.templates.name(of: schema, on: cluster, fill: fill), on: cluster)
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

    /// Runs `sql` as psql does and returns its output: values only, with `|` between columns.
    @discardableResult
    package func psql(_ sql: String) async throws -> String {
        try await cluster.psql(sql, at: connectionString)
    }

    /// Ends the session that scripts of this database share, for a program that refuses to work beside others.
    package func endSharedSession() {
        KeptSessions.shared.end(at: connectionString)
    }

    /// Returns when every transaction of the server that has begun by now has ended.
    ///
    /// The feed shows a change only then. A test that reads the feed from "now" on waits here first: otherwise it also
    /// receives what was written before.
    package func waitForEarlierTransactions() async throws {
        let present = try await psql("SELECT pg_current_xact_id()")
        try await eventually("earlier transactions have ended") {
            try await psql("SELECT pg_snapshot_xmin(pg_current_snapshot()) > '\(present)'::xid8") == "t"
        }
    }

    /// Drops the database and terminates its connections.
    package func drop() async throws {
        endSharedSession()
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
                // Another process is copying template1, or a background process is connected to the template.
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

/// Edits connection strings in both formats of libpq: URIs and key/value pairs.
enum ConnectionString {
    static func replacingDatabase(of connectionString: String, with database: String) -> String {
        guard connectionString.hasPrefix("postgres://") || connectionString.hasPrefix("postgresql://"),
            let scheme = connectionString.firstRange(of: "://")
        else {
            // If a key occurs twice, libpq uses the last value.
            return connectionString + " dbname=\(database)"
        }
        let rest = connectionString[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let options = rest.drop { $0 != "?" }
        return connectionString[..<scheme.upperBound] + authority + "/" + database + options
    }
}
