import AccountsDomain
import Bookshop
import CountingDomain
import DomainKit
import DomainMigrations
import OddDomain
import PostgresDriver
import ProbeDomain
import RPCServer
import TestPostgres
import Testing

/// What `learntrack migrate new` writes, applied to a database.
struct WrittenMigrationTests {
    struct Subject: Sendable, CustomTestStringConvertible {
        let domain: Domain
        var testDescription: String { domain.name }

        /// Every served domain.
        var domains: [Domain] {
            [domain, Accounts.domain(granting: domain.roles.filter { !Role.base.contains($0) }), Journal.domain]
        }

        /// What the database lacks of the domain.
        func errors(_ database: TestDatabase) async throws -> [ConventionError] {
            let owner = PostgresClient(PostgresClient.Configuration(connectionString: database.connectionString))
            let found: Result<[ConventionError], any Error>
            do {
                found = .success(try await SchemaConventions(domains).errors(of: domain, owner))
            } catch {
                found = .failure(error)
            }
            await owner.shutdown()
            return try found.get()
        }

        func migration(lacking errors: [ConventionError]?) -> DomainMigration {
            DomainMigration(of: domain, among: domains, lacking: errors)
        }

        /// Applies what is written, as `migrate up` does.
        func apply(_ migration: DomainMigration, to database: TestDatabase) async throws {
            let text = migration.text(of: "0001_\(domain.name).sql", in: domain, safeFrom: "1.0.0")
            let files = [text] + migration.functions.map(\.sql)
            try await database.psql("BEGIN;\n\(files.joined(separator: "\n"))\nCOMMIT;")
        }
    }

    static let subjects = [Bookshop.domain, Odd.domain, Counting.domain, Probe.domain].map(Subject.init)
    private static let bookshop = subjects[0]
    private static let probe = subjects[3]

    @Test(arguments: subjects)
    func `a new domain's tables, rights and functions are as it declares them`(_ subject: Subject) async throws {
        try await TestDatabase.with { database in
            try await database.psql("DROP SCHEMA IF EXISTS \(subject.domain.schema) CASCADE")
            try await subject.apply(subject.migration(lacking: nil), to: database)
            let errors = try await subject.errors(database)
            #expect(errors.filter(\.isCertain) == [])
            // The same is written when a database is asked, in which there is nothing.
            try await database.psql("DROP SCHEMA \(subject.domain.schema) CASCADE")
            let missing = try await subject.errors(database)
            #expect(subject.migration(lacking: missing).statements == subject.migration(lacking: nil).statements)
        }
    }

    @Test func `what a table lost is written, and nothing else`() async throws {
        try await TestDatabase.with { database in
            try await Self.bookshop.apply(Self.bookshop.migration(lacking: nil), to: database)
            try await database.psql(
                """
                ALTER TABLE bookshop.books DROP COLUMN price CASCADE;
                ALTER TABLE bookshop.books DROP COLUMN author_id;
                ALTER TABLE bookshop.authors ALTER COLUMN name TYPE varchar(50);
                DROP TRIGGER kernel_journal ON bookshop.readers;
                DROP INDEX bookshop.wishes_book_id_idx;
                REVOKE UPDATE ON bookshop.authors FROM learntrack_admin;
                DROP POLICY wishes_select_bookshop_reader ON bookshop.wishes;
                DROP TABLE bookshop.wishes;
                """)
            let written = Self.bookshop.migration(lacking: try await Self.bookshop.errors(database))
            #expect(written.functions == [])
            #expect(
                written.locks
                    == "bookshop.authors against everything, bookshop.books against everything, bookshop.readers against everything, "
                    + "until it is applied")
            let text = written.statements.joined(separator: "\n")
            #expect(!text.contains("CREATE SCHEMA"))
            #expect(text.contains("CREATE TABLE bookshop.wishes"))
            #expect(!text.contains("CREATE TABLE bookshop.books"))
            try await Self.bookshop.apply(written, to: database)
            let errors = try await Self.bookshop.errors(database)
            #expect(errors.filter(\.isCertain) == [])
        }
    }

    @Test(arguments: [
        "ALTER TABLE probe.seasons DROP COLUMN poster CASCADE",
        "ALTER TABLE probe.seasons DROP CONSTRAINT seasons_poster_fkey",
    ])
    func `a column that names files gets a key to those of the company`(loss: String) async throws {
        try await TestDatabase.with { database in
            try await Self.probe.apply(Self.probe.migration(lacking: nil), to: database)
            try await database.psql(loss)
            let written = Self.probe.migration(lacking: try await Self.probe.errors(database))
            let key =
                "ALTER TABLE probe.seasons ADD CONSTRAINT seasons_poster_fkey FOREIGN KEY (company_id, poster) "
                + "REFERENCES kernel.files (company_id, id);"
            #expect(written.statements.contains(key), "\(written.statements)")
            try await Self.probe.apply(written, to: database)
            let errors = try await Self.probe.errors(database)
            #expect(errors.filter(\.isCertain) == [])
        }
    }

    @Test func `a search index that does not begin with the company is built anew`() async throws {
        try await TestDatabase.with { database in
            try await Self.bookshop.apply(Self.bookshop.migration(lacking: nil), to: database)
            try await database.psql(
                """
                DROP INDEX bookshop.books_search_text_idx;
                CREATE INDEX books_search_text_idx ON bookshop.books USING gin (search_text gin_trgm_ops);
                """)
            let written = Self.bookshop.migration(lacking: try await Self.bookshop.errors(database))
            #expect(
                written.statements == [
                    "SELECT kernel.company_keep('bookshop.books');", "SELECT kernel.company_gin('bookshop.books');",
                ])
            try await Self.bookshop.apply(written, to: database)
            let errors = try await Self.bookshop.errors(database)
            #expect(errors.filter(\.isCertain) == [])
        }
    }

    /// The bookshop before it had readers, in a database that has the rest.
    private static let firstShop = Domain(
        name: "bookshop", label: "Librairie", roles: [.admin, .user],
        entities: ["authors", "books"].compactMap { Bookshop.domain.entity(named: $0) }.map { entity in
            Entity(
                name: entity.name, noun: entity.noun, columns: entity.columns.filter { $0.name != "price" },
                relations: entity.relations, search: entity.search, defaultOrder: entity.defaultOrder,
                access: Access(read: [.admin, .user], create: [.admin], update: [.admin], delete: [.admin]))
        })

    @Test func `a second migration has the roles, tables, columns and functions that are new`() async throws {
        try await TestDatabase.with { database in
            let first = Subject(domain: Self.firstShop)
            try await first.apply(first.migration(lacking: nil), to: database)
            // A policy that somebody has narrowed stays as narrow when a column is added.
            try await database.psql(
                "ALTER POLICY books_insert_admin ON bookshop.books WITH CHECK (title <> 'Interdit')")
            let second = Self.bookshop.migration(lacking: try await Self.bookshop.errors(database))
            #expect(
                Set(second.functions.map(\.name)) == [
                    "gross_price.sql", "lend_book.sql", "publications.sql", "settings_open.sql",
                ])
            #expect(!second.statements.contains { $0.contains("CREATE TABLE bookshop.books") })
            try await Self.bookshop.apply(second, to: database)
            let errors = try await Self.bookshop.errors(database)
            #expect(errors.filter(\.isCertain) == [])
            let policies = try await database.psql(
                "SELECT count(*) FROM pg_policies WHERE tablename = 'books' AND with_check LIKE '%Interdit%'")
            #expect(policies == "1")
        }
    }

    @Test func `a column that no call reads is hidden from roles that read the table, and in the journal`() async throws
    {
        try await TestDatabase.with { database in
            let first = Subject(domain: Self.firstShop)
            try await first.apply(first.migration(lacking: nil), to: database)
            let authors = try #require(Self.firstShop.entity(named: "authors"))
            let secretive = Subject(
                domain: Domain(
                    name: "bookshop", label: "Librairie", roles: [.admin, .user],
                    entities: [
                        Entity(
                            name: "authors", noun: authors.noun,
                            columns: authors.columns + [
                                Column("pin", .text(maxLength: 20), access: .writeOnly, label: "Code")
                            ], search: nil, defaultOrder: authors.defaultOrder, access: authors.access)
                    ]))
            try await secretive.apply(
                secretive.migration(lacking: try await secretive.errors(database)), to: database)
            #expect(try await secretive.errors(database) == [])
            let readers = try await database.psql(
                """
                SELECT string_agg(r, ' ') FROM unnest(ARRAY['learntrack_user', 'learntrack_admin']) AS r
                WHERE has_column_privilege(r, 'bookshop.authors', 'pin', 'SELECT')
                """)
            #expect(readers == "")
            let noted = try await database.psql(
                """
                INSERT INTO bookshop.authors (name, pin) VALUES ('Zola', '4711');
                SELECT bool_or(after::text LIKE '%4711%') FROM journal
                """)
            #expect(noted.hasSuffix("f"))
        }
    }

    @Test func `a further call of table_keep leaves triggers as they are`() async throws {
        try await TestDatabase.with { database in
            let triggers = """
                SELECT md5(string_agg(pg_get_triggerdef(oid), ' ' ORDER BY tgname)) FROM pg_trigger
                WHERE tgrelid = 'public.sessions'::regclass
                """
            let before = try await database.psql(triggers)
            try await database.psql("SELECT kernel.table_keep('public.sessions'), kernel.table_keep('public.sessions')")
            #expect(try await database.psql(triggers) == before)
        }
    }

    @Test func `of a database that has everything there is nothing to write`() async throws {
        try await TestDatabase.with { database in
            try await Self.bookshop.apply(Self.bookshop.migration(lacking: nil), to: database)
            let errors = try await Self.bookshop.errors(database)
            #expect(errors.contains { !$0.isCertain })
            #expect(Self.bookshop.migration(lacking: errors).isEmpty)
        }
    }

    /// What a person reads: a table, its rights, a foreign key between records of the same subject, a command to be written.
    @Test func `the text is a plain migration`() throws {
        let migration = Self.bookshop.migration(lacking: nil)
        let text = migration.text(of: "0001_bookshop.sql", in: Bookshop.domain, safeFrom: "1.0.0")
        for part in [
            "-- Locks: nothing that exists before it\n", "CREATE SCHEMA IF NOT EXISTS bookshop;\n",
            """
            CREATE TABLE bookshop.wishes (
                company_id bigint NOT NULL DEFAULT kernel.company(),
                id bigserial,
                reader_id bigint NOT NULL,
                book_id bigint NOT NULL,
                CONSTRAINT wishes_pkey PRIMARY KEY (company_id, id),
                CONSTRAINT wishes_reader_id_fkey FOREIGN KEY (company_id, reader_id) REFERENCES bookshop.readers (company_id, id),
                CONSTRAINT wishes_book_id_fkey FOREIGN KEY (company_id, book_id) REFERENCES bookshop.books (company_id, id)
            );
            SELECT kernel.table_keep('bookshop.wishes', own_columns => '{reader_id}');
            """,
            "    price numeric(6, 2) CONSTRAINT books_price_check CHECK (kernel.is_amount(price)),\n",
            "    -- To do: CONSTRAINT books_reprinted_after_published CHECK (…), over published, reprinted:\n"
                + "    -- Donnez une date",
            "SELECT kernel.search_keep('bookshop.books', 'kernel.without_accents(title)');\n",
            "CREATE INDEX books_title_idx ON bookshop.books (company_id, title COLLATE public.francais, id);\n",
            "SELECT kernel.rights_keep('bookshop.authors', 'learntrack_user', readable => '*');\n",
            "SELECT kernel.rights_keep('bookshop.wishes', 'learntrack_bookshop_reader', readable => '*', "
                + "created => '*', deletes => true,\n    own => 'reader_id');\n",
            "INSERT INTO kernel.migrations (domain, name) VALUES ('bookshop', '0001_bookshop.sql') ON CONFLICT DO NOTHING;\n",
        ] { #expect(text.contains(part), "\(part)\n\nin\n\n\(text)") }
        let lend = try #require(migration.functions.first { $0.name == "lend_book.sql" }?.sql)
        for part in [
            "CREATE OR REPLACE FUNCTION bookshop.lend_book(given_id bigint, given_reader text) RETURNS bigint\n",
            "    -- To do: PERFORM kernel.refuse('books_lent'), where this holds: Ce livre est déjà prêté.\n",
            "SELECT kernel.command_keep('bookshop', 'bookshop.lend_book(bigint, text)', 'learntrack_admin', 'learntrack_user');\n",
        ] { #expect(lend.contains(part), "\(part)\n\nin\n\n\(lend)") }
    }
}
