import Foundation
import TestPostgres
import TestSupport

/// A program that the tests run, with the domains that it serves.
struct TestProgram: Sendable {
    /// The path, beside the test bundle.
    let executable: String
    /// The settings of every run. A test may override them.
    let environment: [String: String]

    /// The program of this package, with its default domains.
    static let learntrack = TestProgram("learntrack", [:])

    /// The program of this package with these domains.
    static func learntrack(serving domains: [String]) -> TestProgram {
        TestProgram("learntrack", ["LEARNTRACK_DOMAINS": domains.joined(separator: ",")])
    }

    /// The server that knows the probe domain beside those of `learntrack`.
    static func probe(_ domains: [String] = ["probe"]) -> TestProgram {
        let migrations = LearnTrackProcess.projectRoot.appendingPathComponent("Tests/ProbeDomain/migrations").path
        return TestProgram(
            "probe-server",
            ["LEARNTRACK_DOMAINS": domains.joined(separator: ","), "LEARNTRACK_MIGRATIONS": migrations])
    }

    /// A program of the system that runs beside the servers.
    static func installed(_ path: String) -> TestProgram {
        TestProgram(executable: path, environment: [:])
    }

    private init(executable: String, environment: [String: String]) {
        self.executable = executable
        self.environment = environment
    }

    private init(_ name: String, _ environment: [String: String]) {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        self.init(
            executable: own.deletingLastPathComponent().appendingPathComponent(name).path, environment: environment)
    }

    /// A new database with the schema of the program's domains, as the program itself migrates it: to one that psql has migrated
    /// it would apply each file of functions once more.
    ///
    /// - Parameter cluster: the database server; by default the shared one.
    func migratedDatabase(on cluster: TestCluster? = nil) async throws -> TestDatabase {
        let domains = environment["LEARNTRACK_DOMAINS"] ?? ""
        return try await TestDatabase.create(like: "\(executable) serving \(domains)", on: cluster) { database in
            let up = try await LearnTrackProcess.run(
                ["migrate", "up"], environment: ["DATABASE_URL": database.connectionString], program: self)
            guard up.status == 0 else { throw TestEnvironmentError("migrate up: \(up.errors)") }
        }
    }
}
