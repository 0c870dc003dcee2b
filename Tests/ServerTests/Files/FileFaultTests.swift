import DomainKit
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// kernel.md: files, while the server ends abnormally at any step of `PUT /files`.
@Suite struct FileFaultTests {
    enum Moment: CaseIterable, Sendable {
        case beforeTheBody
        case duringTheBody
        /// The bytes are in the transaction, which Postgres ends without a commit.
        case beforeTheCommit
        /// The file is kept, and the answer of Postgres does not reach the server.
        case beforeTheAnswer
    }

    /// Keeps commits that contain a file waiting while the lock is held.
    private static let gate = """
        CREATE FUNCTION public.wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('lock_timeout', '0', true);
            PERFORM pg_advisory_xact_lock_shared(4711);
            RETURN NULL;
        END
        $$;
        CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON kernel.file_bytes DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION public.wait_at_the_gate()
        """
    private static let waiting = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"

    @Test(arguments: Moment.allCases)
    func `a file whose server is killed while it comes is kept whole or not at all, and can be given again`(
        moment: Moment
    ) async throws {
        let cluster = try await TestCluster.own()
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let proxy = try FaultProxy(to: cluster)
        let server = try await TestServer.start(
            environment: ["DATABASE_URL": proxy.connectionString(to: database)], database: database)
        let bytes = FileTests.png(2_097_152)
        let connection = try server.connection()
        try await connection.send(
            "PUT /files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(try await server.client().token ?? "")\r\n"
                + "Content-Length: \(bytes.count)\r\n\r\n")
        switch moment {
        case .beforeTheBody: try await Self.kill(server)
        case .duringTheBody:
            try await connection.send(Array(bytes.prefix(1_048_576)))
            try await Self.kill(server)
        case .beforeTheCommit, .beforeTheAnswer:
            try await database.psql(Self.gate)
            let holder = PostgresClient(.init(connectionString: database.connectionString))
            try await holder.withConnection { gatekeeper in
                try await gatekeeper.simpleQuery("SELECT pg_advisory_lock(4711)")
                try await connection.send(bytes)
                try await eventually("the commit waits") {
                    try await database.psql("SELECT count(*) \(Self.waiting)") == "1"
                }
                if moment == .beforeTheCommit {
                    try await Self.kill(server)
                    try await database.psql("SELECT pg_terminate_backend(pid) \(Self.waiting)")
                } else {
                    proxy.set(.blackHole)
                    try await gatekeeper.simpleQuery("SELECT pg_advisory_unlock(4711)")
                    try await eventually("it is kept") {
                        try await database.psql("SELECT count(*) FROM kernel.files") == "1"
                    }
                    try await Self.kill(server)
                }
            }
            await holder.shutdown()
        }
        try await eventually("the killed server's transactions have ended") {
            try await database.psql("SELECT count(*) \(Self.waiting)") == "0"
        }
        try await database.psql("DROP FUNCTION IF EXISTS public.wait_at_the_gate() CASCADE")
        let kept = try await database.psql("SELECT id FROM kernel.files")
        #expect(kept.isEmpty == (moment != .beforeTheAnswer), "\(kept)")
        try await Self.expectWholeFiles(in: database)

        let next = try await TestServer.start(database: database)
        let client = try await next.client()
        let given = try await client.http.request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(client.token ?? "")")], body: bytes)
        #expect(given.status == 200)
        let id = try JSONValue.parse(given.body)["id"] ?? .null
        if !kept.isEmpty { #expect(id.json == kept) }
        let shown = try await client.http.request(
            "GET", "/files/\(id.json)", headers: [("Authorization", "Bearer \(client.token ?? "")")])
        #expect(shown.status == 200 && shown.body == bytes)
        #expect(try await database.psql("SELECT count(*) FROM kernel.files") == "1")
        try await Self.expectWholeFiles(in: database)
        try await database.psql("UPDATE kernel.files SET given_at = now() - interval '25 hours'")
        #expect(try await database.psql("SELECT kernel.files_prune('1 day', 100)") == "1")
        #expect(try await database.psql("SELECT count(*) FROM kernel.file_bytes") == "0")
        #expect(try await next.stop() == 0)
    }

    private static func expectWholeFiles(in database: TestDatabase) async throws {
        let halves = try await database.psql(
            """
            SELECT count(*) FROM kernel.files AS f FULL JOIN kernel.file_bytes AS b ON b.file_id = f.id
            WHERE f.sha256 IS DISTINCT FROM sha256(b.bytes) OR f.size IS DISTINCT FROM octet_length(b.bytes)
            """)
        #expect(halves == "0")
    }

    private static func kill(_ server: TestServer) async throws {
        try server.process.signal(9)
        try await server.process.waitForExit()
    }
}
