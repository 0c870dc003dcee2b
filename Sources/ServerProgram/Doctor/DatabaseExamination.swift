import DomainKit
import FoundationEssentials
import Glibc
import Migrations
import PostgresDriver

/// The findings of `doctor` about the database.
struct DatabaseExamination {
    let owner: PostgresClient
    let sources: [MigrationSource]
    let domains: ServedDomains
    let settings: DatabaseClients.Configuration
    /// Whether the database is the embedded one, whose login is a superuser that no other program has.
    let isEmbedded: Bool
    /// Whether a server runs at the address of the settings.
    let isServing: Bool

    private static let oldestVersion = 150_000
    /// Tokens and sign-ins are dated by both clocks.
    private static let maxClockDifference = 2.0

    func findings() async -> [Finding] {
        var findings: [Finding] = []
        for (name, examine) in [
            ("postgres", version), ("writing", writing), ("encoding", encoding), ("extensions", extensions),
            ("migrations", migrations), ("roles", rights), ("login", login), ("schema", schema),
            ("connections", connections), ("time zone", timeZone), ("clock", clock), ("replicas", lag),
            ("outbox", outbox), ("companies", companies),
            ("searches", searches),
        ] as [(String, () async throws -> Finding?)] {
            do {
                if let finding = try await examine() { findings.append(finding) }
            } catch {
                findings.append(.fault(name, "\(CommandError.text(of: error))", remedy: "mend what Postgres says"))
            }
        }
        return findings
    }

    private func version() async throws -> Finding? {
        let rows = try await owner.query(Statement("SELECT current_setting('server_version_num'), version()"))
        let number = rows.text(0, 0).flatMap { Int($0) } ?? 0
        let text = rows.text(0, 1)?.split(separator: " ").prefix(2).joined(separator: " ") ?? "unknown"
        guard number >= Self.oldestVersion else {
            return .fault("postgres", "\(text) is too old", remedy: "serve a Postgres of version 15 or later")
        }
        return .ok("postgres", text)
    }

    private func encoding() async throws -> Finding? {
        let name = try await owner.query(Statement("SELECT current_setting('server_encoding')")).text(0, 0) ?? "unknown"
        guard name != "UTF8" else { return nil }
        return .fault(
            "encoding", "the database has the encoding \(name)",
            remedy: "create one with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'")
    }

    /// Those that the migrations create.
    private func extensions() async throws -> Finding? {
        var needed: Set<String> = []
        for source in sources {
            for name in try FileManager.default.contentsOfDirectory(atPath: source.folder) where name.hasSuffix(".sql")
            {
                guard let content = FileManager.default.contents(atPath: "\(source.folder)/\(name)") else { continue }
                for match in String(decoding: content, as: UTF8.self)
                    .matches(of: /CREATE EXTENSION IF NOT EXISTS (\w+)/)
                {
                    needed.insert(String(match.1))
                }
            }
        }
        let rows = try await owner.query(
            Statement(
                """
                SELECT n.name FROM unnest($1::text[]) AS n(name)
                WHERE NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = n.name) ORDER BY 1
                """), [.text("{\(needed.sorted().joined(separator: ","))}")])
        let missing = (0..<rows.count).compactMap { rows.text($0, 0) }
        guard missing.isEmpty else {
            let name = missing.joined(separator: ", ")
            // Migrations that are applied do not run again. What depended on an extension is gone with it.
            let status = try await Migrator(sources: sources, client: owner).status()
            let statements = missing.map { "CREATE EXTENSION \($0);" }.joined(separator: " ")
            let isNew = status.allSatisfy { $0.state == .pending }
            return .fault(
                "extensions", "not in the database: \(name)",
                remedy: "install the package postgresql-contrib, then "
                    + (isNew
                        ? "run 'learntrack migrate up'"
                        : "as an administrator of the database: \(statements) and then what 'schema' says"))
        }
        return .ok("extensions", needed.sorted().joined(separator: ", "))
    }

    private func migrations() async throws -> Finding? {
        let status = try await Migrator(sources: sources, client: owner).status()
        guard !status.isUpToDate else { return .ok("migrations", "\(status.count) files are applied") }
        let pending = status.filter { $0.state == .pending }
        guard pending.count < status.count else {
            return .fault("migrations", "the database has no schema", remedy: "run 'learntrack migrate up'")
        }
        if let reason = status.breakingReason {
            return .fault("migrations", reason, remedy: "install that version of LearnTrack here")
        }
        if let odd = status.first(where: { $0.state == .changed || $0.state == .missing }) {
            return .fault(
                "migrations", "\(odd.path) is \(odd.state.rawValue)",
                remedy: "use the migrations of the version that was installed last, or restore the file")
        }
        return .fault(
            "migrations", "\(pending.count) are pending, the first is \(pending.first?.path ?? "")",
            remedy: "run 'learntrack migrate up'")
    }

    private func rights() async throws -> Finding? {
        let names = (domains.all.roles.map(\.databaseRole) + ["learntrack_auth", "learntrack_worker"]).sorted()
        let rows = try await owner.query(
            Statement(
                """
                SELECT n.name, current_user FROM unnest($1::text[]) AS n(name) LEFT JOIN pg_roles r ON r.rolname = n.name
                WHERE r.oid IS NULL OR NOT pg_has_role(current_user, r.oid, 'MEMBER') ORDER BY 1
                """), [.text("{\(names.joined(separator: ","))}")])
        let missing = (0..<rows.count).compactMap { rows.text($0, 0) }
        guard !missing.isEmpty, let login = rows.text(0, 1) else {
            return .ok("roles", "the login belongs to \(names.joined(separator: ", "))")
        }
        let list = missing.joined(separator: ", ")
        return .fault(
            "roles", "the login \(login) does not belong to \(list)",
            remedy: "run 'learntrack migrate up', or as an administrator of the database: GRANT \(list) TO \(login)")
    }

    private func clock() async throws -> Finding? {
        // The first query opens the connection; the second is quick.
        _ = try await owner.query(Self.time)
        let before = Self.now
        let rows = try await owner.query(Self.time)
        let after = Self.now
        let theirs = rows.text(0, 0).flatMap { Double($0) } ?? 0
        let difference = theirs < before ? theirs - before : max(0, theirs - after)
        let milliseconds = Int((difference * 1_000).rounded())
        guard abs(difference) <= Self.maxClockDifference else {
            return .fault(
                "clock", "the database's clock differs from this machine's by \(milliseconds) ms",
                remedy: "set both by NTP (timedatectl set-ntp true)")
        }
        return .ok("clock", "differs from the database's by \(milliseconds) ms")
    }

    private static let time = Statement("SELECT extract(epoch FROM clock_timestamp())::text")

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private func lag() async throws -> Finding? {
        guard !settings.replicas.isEmpty else { return nil }
        let rows = try await owner.query(Statement("SELECT pg_current_wal_lsn()::text"))
        let present = rows.text(0, 0) ?? "0/0"
        var details: [String] = []
        for (index, address) in settings.replicas.enumerated() {
            let name = "replica \(index + 1)"
            let client = PostgresClient(.init(connectionString: address))
            do {
                let rows = try await client.query(Self.replicaLag, [.text(present)])
                let shortage = try await shortage(of: client)
                await client.shutdown()
                guard let seconds = rows.text(0, 0).flatMap({ Double($0) }) else {
                    return .fault(
                        "replicas", "\(name) is no replica", remedy: "give the address of a standby in --replica-url")
                }
                guard seconds <= settings.replicaMaxLag / .seconds(1) else {
                    return .fault(
                        "replicas", "\(name) is \(Int(seconds)) s behind and gets no reads",
                        remedy: "look at pg_stat_replication on the primary and at the network between them")
                }
                if let shortage {
                    return .fault(
                        "replicas", "\(name): \(shortage)", remedy: "reduce --pool-size, or \(Self.limitRemedy) there")
                }
                details.append("\(name) is \((seconds * 1_000).rounded() / 1_000) s behind")
            } catch {
                await client.shutdown()
                return .fault(
                    "replicas", "\(name): \(CommandError.text(of: error))", remedy: "start it, or correct --replica-url"
                )
            }
        }
        return .ok("replicas", details.joined(separator: ", "))
    }

    private static let replicaLag = Statement(
        """
        SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL
            WHEN pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()) <= 0 THEN 0
            ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp()) END::text
        """)
}
