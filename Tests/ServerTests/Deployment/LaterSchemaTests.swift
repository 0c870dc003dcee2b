import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// Instances of two versions on one database, as during a rolling upgrade.
@Suite struct LaterSchemaTests {
    /// What the migration of a later version leaves behind.
    private static func migration(_ name: String, safeFrom: String) -> String {
        """
        BEGIN;
        CREATE TABLE public.later (id bigint);
        INSERT INTO kernel.migrations (domain, name, checksum, applied_by, safe_from)
            VALUES ('crm', '\(name)', 'a later file', '99.1.0', '\(safeFrom)');
        COMMIT;
        """
    }

    @Test func `an instance stays ready when a later version migrates, and starts beside its schema and says so`()
        async throws
    {
        let server = try await TestServer.start()
        _ = try await server.database.psql(Self.migration("0998_later.sql", safeFrom: "1.0.0"))
        let ready = try await server.connection().request("GET", "/health/ready")
        #expect(ready.status == 200, "\(ready.text)")
        #expect(try await server.client().call("sessions.list", ["count": true])["total"] == 0)

        // A later version may keep the feed in another way.
        try await server.database.psql("DROP TRIGGER kernel_feed ON public.ecoles")
        let second = try await TestServer.start(database: server.database)
        try await second.process.waitForLog("crm/0998_later.sql")
        try await second.process.waitForLog("the change feed has no changes of the table public.ecoles")
        #expect(try await second.connection().request("GET", "/health/ready").status == 200)
        #expect(try await second.client().call("sessions.list", ["count": true])["total"] == 0)
        let status = try await LearnTrackProcess.run(
            ["migrate", "status"], environment: ["DATABASE_URL": server.database.connectionString])
        #expect(status.status == 0, "\(status.output)")
        #expect(status.output.contains("later") && status.output.contains("crm/0998_later.sql"), "\(status.output)")
        #expect(try await server.stop() == 0)
        #expect(try await second.stop() == 0)
    }

    @Test func `beside its own schema an instance does not start without what it declares, and names all of it`()
        async throws
    {
        let server = try await TestServer.start()
        #expect(try await server.stop() == 0)
        try await server.database.psql("DROP TRIGGER kernel_feed ON public.ecoles")
        try await server.database.psql("REVOKE DELETE ON public.clients FROM learntrack_admin")
        let second = try await LearnTrackProcess.run(
            ["serve", "--port", "0"],
            environment: ["DATABASE_URL": server.database.connectionString, "JWT_SECRET": TestServer.secret])
        #expect(second.status != 0)
        #expect(second.errors.contains("SELECT kernel.feed_keep('public.ecoles')"), "\(second.errors)")
        #expect(second.errors.contains("GRANT DELETE ON public.clients TO learntrack_admin"), "\(second.errors)")
    }

    @Test func `an instance is not ready beside a migration that needs a later version, and none starts`() async throws
    {
        let server = try await TestServer.start()
        _ = try await server.database.psql(Self.migration("0999_breaking.sql", safeFrom: "99.1.0"))
        let ready = try await server.connection().request("GET", "/health/ready")
        #expect(ready.status == 503)
        #expect(ready.text.contains("crm/0999_breaking.sql") && ready.text.contains("99.1.0"), "\(ready.text)")
        let second = try await LearnTrackProcess.run(
            ["serve", "--port", "0"],
            environment: ["DATABASE_URL": server.database.connectionString, "JWT_SECRET": TestServer.secret])
        #expect(second.status != 0)
        #expect(second.errors.contains("crm/0999_breaking.sql"), "\(second.errors)")
        #expect(try await server.stop() == 0)
    }

    @Test func `a new instance is not ready before the migrations that it needs are applied`() async throws {
        let server = try await TestServer.start()
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: URL(filePath: ProjectFiles.migrationsFolder()), to: folder.url("migrations"))
        try folder.write(
            "-- Safe from: 1.0.0\n-- Locks: nothing that exists before it\nCREATE TABLE public.later (id bigint);",
            to: "migrations/crm/0997_later.sql")
        let newer = try await TestServer.start(
            ["--no-migrate", "--migrations", folder.path + "/migrations"], database: server.database)
        #expect(try await newer.connection().request("GET", "/health/ready").status == 503)
        let environment = ["DATABASE_URL": server.database.connectionString]
        let up = try await LearnTrackProcess.run(
            ["migrate", "up", "--migrations", folder.path + "/migrations"], environment: environment)
        #expect(up.status == 0 && up.output.contains("applied crm/0997_later.sql"), "\(up.errors)")
        #expect(try await newer.connection().request("GET", "/health/ready").status == 200)
        #expect(try await newer.stop() == 0)
        #expect(try await server.stop() == 0)
    }
}
