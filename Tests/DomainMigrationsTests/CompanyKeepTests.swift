import TestPostgres
import Testing

/// `kernel.company_keep` on tables that were made before rows had a company.
struct CompanyKeepTests {
    /// Two tables that refer to each other, with every kind of key and index.
    private static let tables = """
        CREATE TABLE shelves (id bigserial PRIMARY KEY, code text CONSTRAINT shelves_code_key UNIQUE);
        CREATE TABLE volumes (
            id bigserial PRIMARY KEY,
            title text,
            shelf_id bigint CONSTRAINT volumes_shelf_id_fkey REFERENCES shelves (id) ON DELETE SET NULL,
            parent_id bigint CONSTRAINT volumes_parent_id_fkey REFERENCES volumes (id) ON DELETE CASCADE,
            during tstzrange,
            CONSTRAINT volumes_during_excl EXCLUDE USING gist (during WITH &&));
        ALTER TABLE shelves ADD best_id bigint CONSTRAINT shelves_best_id_fkey REFERENCES volumes (id);
        CREATE UNIQUE INDEX volumes_title_key ON volumes (lower(title)) WHERE title <> '';
        CREATE INDEX volumes_shelf_id_idx ON volumes (shelf_id, id DESC) INCLUDE (title);
        CREATE UNIQUE INDEX shelves_only_idx ON shelves ((true)) WHERE code IS NULL;
        COMMENT ON INDEX volumes_shelf_id_idx IS 'foreign key';
        INSERT INTO shelves (code) VALUES ('A');
        INSERT INTO volumes (title, shelf_id, during) VALUES ('Germinal', 1, '[2026-01-01, 2026-02-01)');
        """

    /// The constraints and indexes of both tables, and the identity of each index.
    private static let shape = """
        SELECT string_agg(line, E'\\n' ORDER BY line COLLATE "C") FROM (
            SELECT conname || ' ' || pg_get_constraintdef(oid) AS line FROM pg_constraint
            WHERE conrelid IN ('shelves'::regclass, 'volumes'::regclass) AND contype IN ('p', 'u', 'f', 'x')
            UNION ALL
            SELECT regexp_replace(pg_get_indexdef(indexrelid), '^CREATE ', '') || coalesce(' -- ' || obj_description(indexrelid), '')
            FROM pg_index WHERE indrelid IN ('shelves'::regclass, 'volumes'::regclass)
                AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
        ) AS lines
        """
    private static let identities = """
        SELECT string_agg(indexrelid::text, ' ' ORDER BY indexrelid) FROM pg_index
        WHERE indrelid IN ('shelves'::regclass, 'volumes'::regclass)
        """

    @Test func `keys, indexes and foreign keys begin with the company, and a further call changes nothing`()
        async throws
    {
        try await TestDatabase.with { database in
            try await database.psql(Self.tables)
            try await database.psql("SELECT kernel.company_keep('shelves', 'volumes')")
            let shape = try await database.psql(Self.shape)
            #expect(
                shape == """
                    INDEX volumes_shelf_id_idx ON public.volumes USING btree (company_id, shelf_id, id DESC) INCLUDE (title) -- foreign key
                    UNIQUE INDEX shelves_only_idx ON public.shelves USING btree (company_id) WHERE (code IS NULL)
                    UNIQUE INDEX volumes_title_key ON public.volumes USING btree (company_id, lower(title)) WHERE (title <> ''::text)
                    shelves_best_id_fkey FOREIGN KEY (company_id, best_id) REFERENCES volumes(company_id, id)
                    shelves_code_key UNIQUE (company_id, code)
                    shelves_pkey PRIMARY KEY (company_id, id)
                    volumes_during_excl EXCLUDE USING gist (company_id WITH =, during WITH &&)
                    volumes_parent_id_fkey FOREIGN KEY (company_id, parent_id) REFERENCES volumes(company_id, id) ON DELETE CASCADE
                    volumes_pkey PRIMARY KEY (company_id, id)
                    volumes_shelf_id_fkey FOREIGN KEY (company_id, shelf_id) REFERENCES shelves(company_id, id) ON DELETE SET NULL (shelf_id)
                    """)
            let before = try await database.psql(Self.identities)
            try await database.psql("SELECT kernel.company_keep('shelves', 'volumes')")
            let after = try await database.psql(Self.identities)
            #expect(after == before)
        }
    }

    @Test func `what was prepared before takes the place of the old indexes`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.tables)
            try await database.psql("SELECT kernel.company_keep('shelves', 'volumes')")
            let whole = try await database.psql(Self.shape)
            try await database.psql("DROP TABLE shelves, volumes CASCADE")
            try await database.psql(Self.tables)
            try await database.psql("SELECT kernel.company_add('shelves', 'volumes')")
            try await database.psql("SELECT kernel.company_prepare('shelves', 'volumes')")
            let prepared = try await database.psql(
                "SELECT oid FROM pg_class WHERE relname = 'volumes_pkey_company'")
            try await database.psql("SELECT kernel.company_keep('shelves', 'volumes')")
            let shape = try await database.psql(Self.shape)
            #expect(shape == whole)
            let key = try await database.psql("SELECT 'volumes_pkey'::regclass::oid")
            #expect(key == prepared && !prepared.isEmpty)
        }
    }

    @Test func `an id and a value are unique in a company, and no row refers to a row of another`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.tables)
            try await database.psql(
                """
                SELECT kernel.company_keep('shelves', 'volumes');
                SET learntrack.company = '2';
                INSERT INTO shelves (id, code) VALUES (1, 'A'), (2, 'B');
                INSERT INTO volumes (id, title, shelf_id, during) VALUES (1, 'Germinal', 1, '[2026-01-01, 2026-02-01)');
                """)
            await #expect(throws: (any Error).self) {
                try await database.psql("INSERT INTO volumes (title, shelf_id) VALUES ('Nana', 2)")
            }
            // The company of a row stays when what it refers to goes.
            try await database.psql("DELETE FROM shelves WHERE company_id = 2 AND id = 1")
            let rows = try await database.psql(
                "SELECT company_id, coalesce(shelf_id, 0) FROM volumes ORDER BY company_id")
            #expect(rows == "1|1\n2|0")
        }
    }

    @Test func `a table that refers to one of them and is left out is named`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.tables)
            let error = await #expect(throws: (any Error).self) {
                try await database.psql("SELECT kernel.company_keep('shelves')")
            }
            let told = error.map { "\($0)" } ?? ""
            #expect(told.contains("the table volumes refers to one of these tables"), "\(told)")
            #expect(told.contains("Give kernel.company_keep this table in the same call"), "\(told)")
        }
    }

    @Test func `a transaction that locks the tables in another order is not ended by a deadlock`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.tables)
            async let written = database.psql(
                """
                BEGIN;
                UPDATE volumes SET title = 'Nana';
                SELECT pg_sleep(2);
                UPDATE shelves SET code = 'Z';
                COMMIT;
                """)
            async let kept = database.psql("SELECT pg_sleep(0.5); SELECT kernel.company_keep('shelves', 'volumes')")
            _ = try await (written, kept)
            let rows = try await database.psql("SELECT v.title, s.code, v.company_id FROM volumes AS v, shelves AS s")
            #expect(rows == "Nana|Z|1")
        }
    }

    private static let words = """
        CREATE TABLE notes (id bigserial PRIMARY KEY, search_text text, tags text[]);
        CREATE INDEX notes_text_idx ON notes USING gin (search_text gin_trgm_ops) WITH (fastupdate = on);
        CREATE INDEX notes_tags_idx ON notes USING gin (tags) WHERE tags <> '{}';
        CREATE INDEX notes_all_idx ON notes USING gin (tags);
        COMMENT ON INDEX notes_text_idx IS 'search';
        COMMENT ON INDEX notes_all_idx IS 'all companies: an example';
        """
    private static let definitions = """
        SELECT string_agg(
            regexp_replace(pg_get_indexdef(i.indexrelid), '^.* (?=notes_)', '') || coalesce(' -- ' || obj_description(i.indexrelid), ''),
            E'\n' ORDER BY i.indexrelid::regclass::text)
        FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS m ON m.oid = c.relam
        WHERE i.indrelid = 'notes'::regclass AND m.amname = 'gin'
        """

    @Test func `GIN indexes stay until company_gin makes the company their first column`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.words)
            let before = try await database.psql(Self.definitions)
            try await database.psql("SELECT kernel.company_keep('notes')")
            let kept = try await database.psql(Self.definitions)
            #expect(kept == before)
            // One of them is prepared.
            try await database.psql(
                """
                CREATE INDEX CONCURRENTLY notes_text_idx_company ON notes
                    USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on);
                """)
            let prepared = try await database.psql("SELECT 'notes_text_idx_company'::regclass::oid")
            for _ in 1...2 {
                try await database.psql("SELECT kernel.company_gin('notes')")
                let after = try await database.psql(Self.definitions)
                #expect(
                    after == """
                        notes_all_idx ON public.notes USING gin (tags) -- all companies: an example
                        notes_tags_idx ON public.notes USING gin (company_id, tags) WHERE (tags <> '{}'::text[])
                        notes_text_idx ON public.notes USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate='on') -- search
                        """)
                let index = try await database.psql("SELECT 'notes_text_idx'::regclass::oid")
                #expect(index == prepared)
            }
        }
    }

    @Test func `an index is the prepared one by what it is, and long names stay whole`() async throws {
        try await TestDatabase.with { database in
            let long = String(repeating: "n", count: 60) + "idx"
            try await database.psql(
                """
                CREATE TABLE notes (company_id bigint NOT NULL DEFAULT 1, id bigserial, tags text[]);
                CREATE INDEX notes_tags ON notes USING gin (tags);
                CREATE INDEX \(long) ON notes USING gin (tags) WHERE id > 1;
                -- One without the company, one of other rows, and a prepared one whose name is cut.
                CREATE INDEX notes_tags_company ON notes USING gin (tags) WHERE id > 2;
                CREATE INDEX notes_tags_company_company ON notes USING gin (company_id, tags) WHERE id > 3;
                CREATE INDEX \(long.prefix(55))_company ON notes USING gin (company_id, tags) WITH (fastupdate = off) WHERE id > 1;
                """)
            let prepared = try await database.psql("SELECT '\(long.prefix(55))_company'::regclass::oid")
            for _ in 1...2 {
                try await database.psql("SELECT kernel.company_gin('notes')")
                let after = try await database.psql(
                    """
                    SELECT string_agg(
                        regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE INDEX (\\S+) ON .* USING gin ', '\\1 '),
                        E'\n' ORDER BY i.indexrelid::regclass::text COLLATE "C")
                    FROM pg_index AS i WHERE i.indrelid = 'notes'::regclass
                    """)
                #expect(
                    after == """
                        \(long) (company_id, tags) WITH (fastupdate=off) WHERE (id > 1)
                        notes_tags (company_id, tags)
                        notes_tags_company (company_id, tags) WHERE (id > 2)
                        notes_tags_company_company (company_id, tags) WHERE (id > 3)
                        """)
                #expect(try await database.psql("SELECT '\(long)'::regclass::oid") == prepared)
            }
        }
    }

    @Test func `search_keep begins the index with the company of a table that has one`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(
                """
                CREATE TABLE notes (company_id bigint NOT NULL DEFAULT kernel.company(), id bigserial, title text);
                SELECT kernel.search_keep('notes', 'kernel.without_accents(title)');
                """)
            let definition = try await database.psql(Self.definitions)
            let expected = "notes_search_text_idx ON public.notes USING gin (company_id, search_text gin_trgm_ops)"
            #expect(definition.hasPrefix(expected))
        }
    }
}
