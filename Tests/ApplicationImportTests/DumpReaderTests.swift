import Testing

@testable import ApplicationImport

struct DumpReaderTests {
    private func read(_ sql: String) throws -> ImportSource { try DumpReader.read(Array(sql.utf8)) }

    @Test func `escapes, empty texts and nulls of COPY are read as they were written`() throws {
        let source = try read(
            "COPY public.clients (id, \"nom\", x) FROM stdin;\n1\ta\\tb\\\\c\\nd\t\\N\n2\t\té\\101\\.\n\\.\n\nSELECT 1;\n"
        )
        #expect(source["public.clients"]?.columns == ["id", "nom", "x"])
        #expect(source["public.clients"]?.rows == [["1", "a\tb\\c\nd", nil], ["2", "", "éA."]])
    }

    @Test func `every form of INSERT that pg_dump writes is read`() throws {
        let source = try read(
            """
            CREATE TABLE public.clients (
                id bigint DEFAULT nextval('a, (b'::regclass) NOT NULL, "nom complet" character varying(255),
                prix numeric(10,2), CONSTRAINT c CHECK ((id > 0)), PRIMARY KEY (id)
            );
            INSERT INTO public.clients VALUES (1, 'L''Hôte; (fin)', -12.50), (2, E'a\\nb\\'c', NULL);
            insert into "public"."clients" overriding system value values
                (3, DEFAULT, '2026-01-01'::character varying);
            """)
        #expect(source["public.clients"]?.columns == ["id", "nom complet", "prix"])
        #expect(
            source["public.clients"]?.rows == [
                ["1", "L'Hôte; (fin)", "-12.50"], ["2", "a\nb'c", nil], ["3", nil, "2026-01-01"],
            ])
    }

    @Test(arguments: [
        "-- INSERT INTO public.clients (id) VALUES (1);\n",
        "/* a /* b */ INSERT INTO public.clients (id) VALUES (1); */",
        "COMMENT ON TABLE x IS 'a; \nINSERT INTO public.clients (id) VALUES (1);';",
        "CREATE FUNCTION f() RETURNS void AS $a$ $b$;\nINSERT INTO public.clients (id) VALUES (1); $a$ LANGUAGE sql;",
        "CREATE FUNCTION f() BEGIN ATOMIC\n SELECT CASE WHEN true THEN 1 END;\nINSERT INTO public.clients (id) VALUES (1);\nEND;",
        "\\restrict abc'def\n\\! touch /tmp/never\n", "CREATE TABLE public.autre (id bigint); SELECT 1;",
        "COPY auth.audit (id) FROM stdin;\nINSERT INTO public.clients (id) VALUES (1);\n\\.\n",
    ])
    func `comments, string literals, function bodies and psql commands are not taken for rows`(sql: String) throws {
        let source = try read(sql + "\nINSERT INTO public.clients (id) VALUES (7);")
        #expect(source["public.clients"]?.rows == [["7"]], "\(sql)")
    }

    @Test(arguments: [
        ("COPY public.clients (id) FROM stdin;\n1\n2\n", "line 4"),
        ("\nCOPY public.clients (id) FROM stdin;\n1\t2\n\\.\n", "line 4"),
        ("INSERT INTO public.clients (id) VALUES (pg_sleep(1));", "line 1"),
        ("INSERT INTO public.clients VALUES (1);", "line 1"),
        ("INSERT INTO public.clients (id) VALUES ('a", "line 1"),
        ("INSERT INTO public.clients (id) SELECT 1;", "line 1"), ("CREATE FUNCTION f() AS $$ a", "line 1"),
    ])
    func `a dump that is truncated or not understood is rejected with its line`(sql: String, line: String) throws {
        let error = #expect(throws: ApplicationImportError.self) { try read(sql) }
        #expect(error?.description.hasPrefix(line) == true, "\(String(describing: error))")
    }
}
