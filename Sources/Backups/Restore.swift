import ChildProcesses
import FoundationEssentials
import Glibc
import Migrations
package import PostgresDriver

/// Restores a backup into a database, in one transaction: it is there as a whole, or nothing has changed.
package struct Restore: Sendable {
    private let tools: PostgresTools
    private let owner: PostgresClient

    /// - Parameters:
    ///   - tools: the client programs for the database.
    ///   - owner: connections of the login that will own the schema.
    package init(tools: PostgresTools, owner: PostgresClient) {
        self.tools = tools
        self.owner = owner
    }

    /// What a database has, beside what belongs to extensions.
    package struct Contents: Sendable, Equatable {
        package struct Schema: Sendable, Equatable {
            /// Quoted where SQL asks for it.
            package let name: String
            package let tables: Int
            /// As far as Postgres knows without counting.
            package let rows: Int
        }

        /// Those that are not empty.
        package let schemas: [Schema]
        /// How many other sessions use the database.
        package let sessions: Int
    }

    /// Looks at the database that a backup is to be restored into.
    package func contents() async throws -> Contents {
        let schemas = try await owner.query(Self.schemas)
        let sessions = try await owner.query(Self.sessions).text(0, 0).flatMap { Int($0) } ?? 0
        return Contents(
            schemas: (0..<schemas.count).map {
                Contents.Schema(
                    name: schemas.text($0, 0) ?? "", tables: schemas.text($0, 1).flatMap { Int($0) } ?? 0,
                    rows: schemas.text($0, 2).flatMap { Int($0) } ?? 0)
            },
            sessions: sessions)
    }

    /// Restores a backup.
    ///
    /// - Parameter replaced: the schemas of the database that go; none for an empty one.
    package func run(_ backup: BackupFile, replacing replaced: [Contents.Schema]) async throws {
        guard backup.manifest.postgres <= tools.version else {
            throw BackupError(
                "the backup is of Postgres \(backup.manifest.postgres); this server is older (\(tools.version))")
        }
        let prefix = FileManager.default.temporaryDirectory.path + "/learntrack-restore-"
        Leftovers.remove(startingWith: prefix)
        var template = Array("\(prefix)\(getpid())-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BackupError("cannot create a directory for temporary files: \(SealedFile.reason(errno))")
        }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let list = try await tools.run("pg_restore", ["--list", backup.path])
        guard list.status == 0 else { throw BackupError(ToolOutput.reason("pg_restore", list.errors)) }
        // A login that may use an extension need not own it, and only its owner may write its comment.
        let entries = list.output.split(separator: "\n").filter { !$0.contains(" COMMENT - EXTENSION ") }
        try write(entries.joined(separator: "\n") + "\n", to: folder + "/list")
        try write(Self.before(backup.manifest, replaced.map(\.name)), to: folder + "/before.sql")
        try write(Self.after(backup.manifest), to: folder + "/after.sql")
        let run = try await ChildProcess.run(
            "/bin/sh",
            [
                "-c", Self.pipeline, "restore", folder, tools.path("pg_restore"), backup.path, "\(getpid())",
                tools.path("psql"), tools.address,
            ], environment: tools.environment)
        guard run.status == 0, run.output.contains(Self.done) else {
            throw BackupError("nothing was restored: " + ToolOutput.reason("psql", run.errors))
        }
        // Statistics are not part of a backup.
        try await owner.withConnection { try await $0.simpleQuery("ANALYZE") }
        // Nor is what `companies enable` says about a function of Postgres. A backup of before has no such function of the kernel.
        if try await owner.query(Self.hasSearches).text(0, 0) == "true" { _ = try await owner.query(Self.searches) }
    }

    private static let hasSearches = Statement(
        "SELECT (to_regprocedure('kernel.company_searches()') IS NOT NULL)::text")
    private static let searches = Statement("SELECT kernel.company_searches()")

    private func write(_ text: String, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
            throw BackupError("cannot write \(path)")
        }
    }

    // MARK: The transaction

    private static let done = "learntrack-restored"

    /// One session of psql reads what begins the transaction, what pg_restore makes of the archive, and what ends it. Without the
    /// end, because pg_restore has failed or this process is gone, the server undoes everything. The folder goes with the shell,
    /// which outlives a process that is killed.
    private static let pipeline = """
        trap 'rm -rf "$1"' EXIT; { cat "$1/before.sql" && "$2" --no-owner --use-list="$1/list" --file=- "$3" && kill -0 "$4" \
        && cat "$1/after.sql"; } | "$5" -X -q -w -v ON_ERROR_STOP=1 -o /dev/null -d "$6"
        """

    private static func before(_ manifest: BackupManifest, _ replaced: [String]) -> String {
        let roles = manifest.roles.map(literal).joined(separator: ", ")
        let drops = replaced.map { "DROP SCHEMA \($0) CASCADE;" }.joined(separator: "\n")
        // As a new database has it.
        let publicSchema =
            replaced.contains("public")
            ? """
            CREATE SCHEMA public;
            COMMENT ON SCHEMA public IS 'standard public schema';
            GRANT USAGE ON SCHEMA public TO PUBLIC;
            ALTER SCHEMA public OWNER TO pg_database_owner;
            """ : ""
        return """
            BEGIN;
            SET LOCAL client_min_messages = warning;
            SET LOCAL lock_timeout = '10s';
            DO $$
            DECLARE
                wanted name;
                privilege text := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET'
                    ELSE 'MEMBER' END;
            BEGIN
                FOREACH wanted IN ARRAY ARRAY[\(roles)]::name[] LOOP
                    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
                        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
                    END IF;
                    IF NOT pg_catalog.pg_has_role(current_user, wanted, privilege) THEN
                        EXECUTE format('GRANT %I TO %I', wanted, current_user);
                    END IF;
                END LOOP;
            END
            $$;
            \(drops)
            \(publicSchema)

            """
    }

    /// The owners that are not the login, what depends on the server, and the end of the transaction.
    private static func after(_ manifest: BackupManifest) -> String {
        let owners = manifest.owned.map { owned in
            // An owner must be able to create the object.
            """
            GRANT CREATE ON SCHEMA \(owned.schema) TO \(identifier(owned.owner));
            ALTER \(owned.type) \(owned.identity) OWNER TO \(identifier(owned.owner));
            REVOKE CREATE ON SCHEMA \(owned.schema) FROM \(identifier(owned.owner));
            """
        }
        return """

            \(owners.joined(separator: "\n"))
            -- Positions in the change feed count transactions of the other server, or of a time that is undone: clients that
            -- continue from one load again what they show.
            DELETE FROM kernel.changes;
            UPDATE kernel.changes_removed SET xid = pg_current_xact_id(), id = 9223372036854775807;
            SET CONSTRAINTS ALL IMMEDIATE;
            COMMIT;
            \\echo \(done)

            """
    }

    private static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
    private static func identifier(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    // MARK: The database

    /// Quoted names of the schemas that have something of their own.
    private static let schemas = Statement(
        """
        WITH members AS (
            SELECT objid FROM pg_catalog.pg_depend WHERE deptype = 'e'
        ), things AS (
            SELECT relnamespace AS home, relkind IN ('r', 'p') AS is_table, reltuples FROM pg_catalog.pg_class
            WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND oid NOT IN (SELECT objid FROM members)
            UNION ALL
            SELECT pronamespace, false, 0 FROM pg_catalog.pg_proc WHERE oid NOT IN (SELECT objid FROM members)
            UNION ALL
            SELECT typnamespace, false, 0 FROM pg_catalog.pg_type
            WHERE typrelid = 0 AND typelem = 0 AND oid NOT IN (SELECT objid FROM members)
        )
        SELECT quote_ident(n.nspname), (count(*) FILTER (WHERE t.is_table))::text,
            coalesce(sum(greatest(t.reltuples, 0)) FILTER (WHERE t.is_table), 0)::bigint::text
        FROM pg_catalog.pg_namespace AS n LEFT JOIN things AS t ON t.home = n.oid
        WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
            AND n.oid NOT IN (SELECT objid FROM members)
            AND (t.home IS NOT NULL OR n.nspname <> 'public')
        GROUP BY n.nspname ORDER BY n.nspname
        """)
    private static let sessions = Statement(
        """
        SELECT count(*)::text FROM pg_catalog.pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND coalesce(backend_type, 'client backend') = 'client backend'
        """)
}
