import ChildProcesses
import Foundation
import TestSupport

extension TestCluster {
    /// Starts a streaming replica of this server, with all of its databases; it ends like any cluster.
    package func startReplica(settings: [String: String] = [:]) async throws -> TestCluster {
        let source = try own()
        let home = try Home.make(source.installation)
        let replica = try await TestCluster(home)
        let ran = try await home.installation.run(
            "pg_basebackup",
            ["-d", connectionString, "-D", home.data, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
        guard ran.status == 0 else { throw TestEnvironmentError("pg_basebackup: \(ran.output)\(ran.errors)") }
        let all = ["unix_socket_directories": home.path].merging(settings) { $1 }
        let lines = all.map { "\($0.key) = '\($0.value)'\n" }.sorted().joined()
        guard let file = FileHandle(forWritingAtPath: home.data + "/postgresql.conf") else {
            throw TestEnvironmentError("pg_basebackup left no postgresql.conf")
        }
        defer { file.closeFile() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(lines.utf8))
        try await replica.startAgain()
        return replica
    }
}
