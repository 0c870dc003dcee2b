import DomainKit
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// kernel.md: "jobs | one instance at a time, runs noted, `job:<name>` as author in the journal".
@Suite struct JobTests {
    /// A gardener with a suspension that is over.
    private static func suspended(in garden: OutboxGarden) async throws -> JSONValue {
        let nina = try await garden.gardener("nina")
        _ = try await garden.database.psql(
            "UPDATE probe.gardeners SET is_suspended = true, suspended_until = now() WHERE id = \(nina.json)")
        return nina
    }

    private static func isReleased(_ garden: OutboxGarden) async throws -> Bool {
        try await garden.database.psql("SELECT bool_or(is_suspended) FROM probe.gardeners") == "f"
    }

    @Test func `a job runs when it is due, notes its end, and is the author of what it writes`() async throws {
        let garden = try await OutboxGarden([:])
        _ = try await Self.suspended(in: garden)
        try await eventually("the job has run") { try await Self.isReleased(garden) }
        let author = try await garden.database.psql(
            """
            SELECT DISTINCT actor ->> 'username', request_id FROM journal
            WHERE table_name = 'gardeners' AND after ->> 'is_suspended' = 'false' AND operation = 'update'
            """)
        #expect(author == "job:gardeners.release|job:gardeners.release")
        let noted = try await garden.database.psql(
            "SELECT last_started_at <= last_ended_at, last_error IS NULL, failures FROM kernel.jobs")
        #expect(noted == "t|t|0")
        let metrics = try await garden.garden.server.connection().request("GET", "/metrics").body
        #expect(String(decoding: metrics, as: UTF8.self).contains("job_last_end_seconds{job=\"gardeners.release\"}"))
    }

    @Test func `a run that fails is undone and noted, and the job runs again`() async throws {
        let garden = try await OutboxGarden([:])
        _ = try await garden.database.psql(
            """
            BEGIN;
            INSERT INTO probe.gardeners (name, is_suspended, suspended_until) VALUES ('n', true, now());
            ALTER TABLE probe.gardeners ADD CONSTRAINT never CHECK (suspended_until IS NOT NULL) NOT VALID;
            COMMIT
            """)
        try await eventually("a run has failed") {
            try await garden.database.psql("SELECT failures > 1 AND last_error LIKE '%23514%' FROM kernel.jobs") == "t"
        }
        try await garden.garden.server.process.waitForLog("A job has failed")
        _ = try await garden.database.psql("ALTER TABLE probe.gardeners DROP CONSTRAINT never")
        try await eventually("the job has run") { try await Self.isReleased(garden) }
        try await eventually("the failures are over") {
            try await garden.database.psql("SELECT failures, last_error IS NULL FROM kernel.jobs") == "0|t"
        }
    }

    @Test func `a run whose server is killed is undone, and another server runs the job`() async throws {
        let garden = try await OutboxGarden([:])
        let nina = try await garden.gardener("nina")
        let database = PostgresClient(.init(connectionString: garden.database.connectionString))
        try await database.withConnection { connection in
            try await connection.simpleQuery(
                """
                UPDATE probe.gardeners SET is_suspended = true, suspended_until = now() + interval '1 second'
                WHERE id = \(nina.json)
                """)
            try await connection.simpleQuery("BEGIN; SELECT FROM probe.gardeners FOR UPDATE")
            try await eventually("the run waits for the record") {
                try await garden.database.psql("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted") == "t"
            }
            try await garden.kill()
            try await connection.simpleQuery("COMMIT")
        }
        await database.shutdown()
        let next = try await garden.another()
        try await eventually("the job has run") { try await Self.isReleased(garden) }
        #expect(try await next.stop() == 0)
    }

    @Test func `a job that a transaction is running is not run by another server`() async throws {
        let garden = try await OutboxGarden([:])
        let second = try await garden.another()
        let database = PostgresClient(.init(connectionString: garden.database.connectionString))
        try await database.withConnection { connection in
            // As a run does.
            try await eventually("the job is due for this session") {
                do {
                    try await connection.simpleQuery("BEGIN; SELECT kernel.job_begin('gardeners.release')")
                    return true
                } catch let error as PostgresError {
                    #expect(error.server?.constraint == "kernel_job_taken")
                    try await connection.simpleQuery("ROLLBACK")
                    return false
                }
            }
            let ended = "SELECT last_ended_at FROM kernel.jobs"
            let before = try await garden.database.psql(ended)
            try await Task.sleep(for: .seconds(3))
            #expect(try await garden.database.psql(ended) == before)
            try await connection.simpleQuery("ROLLBACK")
            try await eventually("it runs again") { try await garden.database.psql(ended) != before }
        }
        await database.shutdown()
        #expect(try await second.stop() == 0)
        #expect(!garden.garden.server.process.errors.contains("A job has failed"))
    }

    @Test func `a job with another schedule runs at the new time alone, unless it is due already`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        func isNext(_ expected: String, from state: String, _ schedule: String) async throws -> Bool {
            try await database.psql(
                """
                INSERT INTO kernel.jobs (name, schedule, next_at) VALUES ('essai', 'every 60', \(state))
                    ON CONFLICT (name) DO UPDATE SET schedule = excluded.schedule, next_at = excluded.next_at;
                SELECT kernel.job_keep('essai', '\(schedule)');
                SELECT next_at = \(expected) FROM kernel.jobs WHERE name = 'essai'
                """
            ).split(separator: "\n").last == "t"
        }
        let planned = try await isNext(
            "kernel.job_next('daily 7:00', now())", from: "now() + interval '1 minute'", "daily 7:00")
        #expect(planned)
        let due = try await isNext("'2020-01-01'", from: "'2020-01-01'", "daily 7:00")
        #expect(due)
        let unchanged = try await isNext("'2999-01-01'", from: "'2999-01-01'", "every 60")
        #expect(unchanged)
    }

    @Test(arguments: [
        // Before and after the time of day, and over the two changes of the clocks.
        ("2026-01-10 05:00Z", "2026-01-10 06:30:00+00"), ("2026-01-10 06:30Z", "2026-01-11 06:30:00+00"),
        ("2026-03-28 20:00Z", "2026-03-29 05:30:00+00"), ("2026-10-24 20:00Z", "2026-10-25 06:30:00+00"),
    ])
    func `a daily job keeps its time of day in the time zone of the service`(after: String, next: String) async throws {
        let database = try await TestServer.running().database
        #expect(
            try await database.psql(
                """
                SET timezone = 'UTC'; SET learntrack.time_zone = 'Europe/Paris';
                SELECT kernel.job_next('daily 7:30', '\(after)')
                """) == next)
    }
}
