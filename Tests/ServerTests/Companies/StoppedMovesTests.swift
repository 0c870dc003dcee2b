import TestPostgres
import TestSupport
import Testing

/// companies.md: "a command that was stopped is run again, and completes the move; `--abandon` undoes it before the company has arrived".
@Suite struct StoppedMovesTests {
    private static let move = "5f1d2c3b-0000-4000-8000-000000000001"
    private static let place = "https://ailleurs.exemple.fr"

    /// Two databases without servers. In the old one the company 2 is "Digue", with ten schools and a member.
    private struct Databases {
        let old: TestDatabase
        let new: TestDatabase

        init() async throws {
            old = try await TestProgram.learntrack.migratedDatabase()
            new = try await TestProgram.learntrack.migratedDatabase()
            for (database, name) in [(old, "Port"), (new, "Ailleurs")] {
                try await database.psql(
                    """
                    SELECT kernel.companies_enable(); SELECT kernel.companies_close();
                    UPDATE kernel.companies SET name = '\(name)';
                    """)
            }
            try await old.psql(
                """
                INSERT INTO kernel.companies (name) VALUES ('Digue');
                BEGIN;
                SET LOCAL learntrack.company = '2';
                INSERT INTO users (email, role) VALUES ('claire@digue.exemple', 'admin');
                INSERT INTO ecoles (nom) SELECT 'École ' || n FROM generate_series(1, 10) AS n;
                COMMIT;
                """)
        }

        /// As a run leaves both that ends when the company has departed, and not arrived.
        ///
        /// - Parameter suspended: when it was suspended; nil: by its departure.
        func stopAfterDeparture(copy: String, by move: String = StoppedMovesTests.move, suspended: String = "now()")
            async throws
        {
            try await old.psql(
                """
                UPDATE kernel.companies SET move = 'moved', move_to = '\(StoppedMovesTests.place)',
                    move_id = '\(StoppedMovesTests.move)', move_at = now(), suspended_at = \(suspended) WHERE id = 2
                """)
            try await new.psql(
                """
                INSERT INTO kernel.companies (id, name, suspended_at, move, move_id, move_at)
                VALUES (2, '\(copy)', now(), 'arriving', '\(move)', now())
                """)
        }

        func drop() async throws {
            try await old.drop()
            try await new.drop()
        }

        func run(_ flags: [String] = []) async throws -> (status: Int32, output: String, errors: String) {
            try await LearnTrackProcess.run(
                ["companies", "move", "2", "--to", StoppedMovesTests.place, "--into", new.connectionString] + flags,
                environment: ["DATABASE_URL": old.connectionString])
        }
    }

    @Test func `a company arrives with the name and the suspension that it has where it leaves`() async throws {
        let both = try await Databases()
        try await both.stopAfterDeparture(copy: "Ancien nom", suspended: "now() - interval '1 day'")
        let completed = try await both.run()
        #expect(completed.status == 0, "\(completed.errors)")
        #expect(
            try await both.new.psql(
                "SELECT name, move IS NULL, suspended_at IS NOT NULL FROM kernel.companies WHERE id = 2") == "Digue|t|t"
        )
        #expect(try await both.new.psql("SELECT count(*) FROM ecoles WHERE company_id = 2") == "10")
        try await both.drop()
    }

    @Test func `a move is undone after the company has left, also when the erasure of its copy was stopped`()
        async throws
    {
        let both = try await Databases()
        try await both.stopAfterDeparture(copy: "Digue")
        // As an erasure leaves it that ends after its first step.
        try await both.new.psql("SELECT kernel.company_end(2, 'Digue')")
        let undone = try await both.run(["--abandon"])
        #expect(undone.status == 0 && undone.output.contains("the move is undone"), "\(undone.errors)")
        #expect(
            try await both.old.psql(
                "SELECT num_nonnulls(move, move_id, move_to, suspended_at) FROM kernel.companies WHERE id = 2") == "0")
        #expect(try await both.new.psql("SELECT count(*) FROM kernel.companies WHERE id = 2") == "0")
        try await both.drop()
    }

    @Test func `a copy of which the removal was stopped is not entered again, and the move is undone`() async throws {
        let databases = try await Databases()
        try await databases.stopAfterDeparture(copy: "Digue")
        try await databases.new.psql("UPDATE kernel.companies SET erasing_at = now() WHERE id = 2")
        let again = try await databases.run()
        #expect(again.status != 0, "\(again.output)")
        #expect(
            again.errors.contains("the removal of company 2 has begun where this one moves to")
                && again.errors.contains("--abandon"), "\(again.errors)")
        let undone = try await databases.run(["--abandon"])
        #expect(undone.status == 0, "\(undone.errors)")
        #expect(try await databases.new.psql("SELECT count(*) FROM kernel.companies") == "1")
        #expect(
            try await databases.old.psql(
                "SELECT move IS NULL AND suspended_at IS NULL FROM kernel.companies WHERE id = 2")
                == "t")
        try await databases.drop()
    }

    @Test func `a copy that another move has made is neither entered nor erased`() async throws {
        let both = try await Databases()
        try await both.stopAfterDeparture(copy: "Digue", by: "5f1d2c3b-0000-4000-8000-000000000002")
        let refused = try await both.run()
        #expect(refused.status != 0)
        #expect(
            refused.errors.contains("company 2 is Digue where this one moves to, the copy of another move"),
            "\(refused.errors)")
        let undone = try await both.run(["--abandon"])
        #expect(undone.status != 0 && undone.errors.contains("the copy of another move"), "\(undone.errors)")
        #expect(try await both.new.psql("SELECT move FROM kernel.companies WHERE id = 2") == "arriving")
        #expect(try await both.old.psql("SELECT move FROM kernel.companies WHERE id = 2") == "moved")
        try await both.drop()
    }

    @Test func `gates that a move is about to need are not taken away`() async throws {
        let both = try await Databases()
        let database = both.old
        let leaving = Task {
            try await database.psql(
                "BEGIN; SELECT kernel.move_leave(2, '\(Self.place)'); SELECT pg_sleep(3); COMMIT")
        }
        try await eventually("the move has made the gates") {
            try await database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()")
                == "1"
        }
        try await database.psql("SELECT kernel.company_gates()")
        _ = try await leaving.value
        #expect(try await database.psql("SELECT count(*) > 0 FROM pg_trigger WHERE tgname = 'company_gate'") == "t")
        // And where one is missing, the last round does not begin.
        try await database.psql("DROP TRIGGER company_gate ON ecoles")
        await #expect(throws: (any Error).self) { try await database.psql("SELECT kernel.move_close(2)") }
        try await both.drop()
    }

    @Test func `a job that has begun passes a company by that moves meanwhile`() async throws {
        let both = try await Databases()
        let database = both.old
        try await database.psql(
            """
            CREATE FUNCTION public.slow_job() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                IF kernel.company() = 1 THEN PERFORM pg_sleep(3); END IF;
                UPDATE public.ecoles SET nom = 'par un travail' WHERE company_id = kernel.company();
            END
            $$;
            GRANT EXECUTE ON FUNCTION public.slow_job() TO learntrack_worker;
            BEGIN; SET LOCAL learntrack.company = '1'; INSERT INTO ecoles (nom) VALUES ('Port'); COMMIT
            """)
        let job = Task {
            try await database.psql("SET ROLE learntrack_worker; SELECT kernel.job_each('public.slow_job')")
        }
        try await eventually("the job has begun") {
            try await database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()")
                == "1"
        }
        try await database.psql(
            """
            SELECT FROM kernel.move_leave(2, '\(Self.place)');
            BEGIN; SELECT kernel.move_close(2); SELECT kernel.move_depart(2); COMMIT
            """)
        // It names no failure.
        #expect(try await job.value == "")
        #expect(
            try await database.psql("SELECT company_id, count(*) FROM ecoles WHERE nom = 'par un travail' GROUP BY 1")
                == "1|1")
        try await both.drop()
    }
}
