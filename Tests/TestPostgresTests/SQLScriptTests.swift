import TestSupport
import Testing

@testable import TestPostgres

struct SQLScriptTests {
    @Test(arguments: [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1; SELECT 2;\n", ["SELECT 1", " SELECT 2"]),
        (" ; ;; -- nothing\n /* nothing */", []),
        ("SELECT ';', \"a;b\", 'it''s;'; SELECT 2", ["SELECT ';', \"a;b\", 'it''s;'", " SELECT 2"]),
        ("DO $$ BEGIN x; END $$; SELECT 2", ["DO $$ BEGIN x; END $$", " SELECT 2"]),
        ("DO $a$ $$ ; $b$ $a$; SELECT $1;", ["DO $a$ $$ ; $b$ $a$", " SELECT $1"]),
        ("SELECT 1 -- a; b\n; SELECT 2", ["SELECT 1 -- a; b\n", " SELECT 2"]),
        ("/* a /* ; */ ; */ SELECT 1; SELECT 2", ["/* a /* ; */ ; */ SELECT 1", " SELECT 2"]),
        (
            "CREATE RULE r AS ON UPDATE TO t DO (SELECT 1; SELECT 2); SELECT 3",
            ["CREATE RULE r AS ON UPDATE TO t DO (SELECT 1; SELECT 2)", " SELECT 3"]
        ),
        ("SELECT 'open; SELECT 2", ["SELECT 'open; SELECT 2"]),
    ])
    func `a script is divided at semicolons between statements`(text: String, statements: [String]) throws {
        let script = try #require(SQLScript(text))
        #expect(script.statements == statements.map { $0[...] })
    }

    @Test(arguments: [
        "\\set a 1", "SELECT E'\\n'", "copy t FROM STDIN", "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END",
    ])
    func `what only psql reads in the same way is left to it`(text: String) {
        #expect(SQLScript(text) == nil)
    }

    @Test func `the scripts of one database share a session, in which none leaves anything`() async throws {
        // Not one at TEST_DATABASE_URL, where psql runs.
        let cluster = try await TestCluster.start(settings: [:], keepsSessions: true)
        let session = "SELECT pg_backend_pid(), current_setting('application_name'), to_regclass('pg_temp.t')"
        let first = try await cluster.psql(session)
        let said = try await cluster.psql(
            """
            CREATE TEMP TABLE t (a int); SET application_name = 'changed';
            SELECT pg_advisory_lock(1); SELECT pg_backend_pid(), current_setting('application_name')
            """)
        #expect(said == "\n" + first.replacing("psql|", with: "changed"))
        #expect(try await cluster.psql(session) == first)
        #expect(try await cluster.psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == "0")
        try await cluster.stop()
    }

    @Test func `a script ends at its first statement that fails, and its open transaction with it`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            await #expect(throws: TestEnvironmentError.self) {
                try await database.psql("CREATE TABLE a (); BEGIN; CREATE TABLE b (); SELECT 1 / 0; CREATE TABLE c ()")
            }
            let made = try await database.psql("SELECT to_regclass('a'), to_regclass('b'), to_regclass('c')")
            #expect(made == "a||")
        }
    }
}
