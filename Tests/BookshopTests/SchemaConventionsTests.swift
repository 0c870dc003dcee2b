import AccountsDomain
import Bookshop
import DomainKit
import PostgresDriver
import RPCServer
import TestPostgres
import Testing

/// What the server checks in the database before it serves.
@Suite struct SchemaConventionsTests {
    /// What is wrong, in the order in which it is told.
    private func errors(
        _ shop: ServedBookshop, _ domains: [Domain] = [Bookshop.domain, Accounts.domain, Journal.domain]
    ) async throws -> [ConventionError] {
        let owner = PostgresClient(PostgresClient.Configuration(connectionString: shop.database.connectionString))
        let found: Result<[ConventionError], any Error>
        do {
            found = .success(try await SchemaConventions(domains).errors(owner))
        } catch {
            found = .failure(error)
        }
        await owner.shutdown()
        return try found.get()
    }

    /// The first thing that is wrong; nil if nothing is. What tables without rights and triggers lack is left out: those of some
    /// tests have none.
    private func check(
        _ shop: ServedBookshop, _ domains: [Domain] = [Bookshop.domain, Accounts.domain, Journal.domain]
    ) async throws -> ConventionError? {
        try await errors(shop, domains).first { error in
            switch error {
            case .noGrant, .noPolicy, .notKept: false
            default: true
            }
        }
    }

    @Test func `the tables of the tutorial are as the server needs them`() async throws {
        try await ServedBookshop.with { shop in
            let found = try await errors(shop)
            #expect(found == [])
        }
    }

    @Test func `what an author forgets is named, all at once and with what to do`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                """
                DROP TRIGGER authors_change ON bookshop.authors;
                DROP TRIGGER kernel_journal ON bookshop.authors;
                DROP TRIGGER kernel_journal_update ON bookshop.authors;
                DROP TRIGGER kernel_journal_truncate ON bookshop.authors;
                ALTER TABLE bookshop.authors ALTER COLUMN name TYPE varchar(50);
                DROP TRIGGER kernel_feed ON bookshop.readers;
                DROP TRIGGER kernel_feed_update ON bookshop.readers;
                DROP TRIGGER kernel_feed_truncate ON bookshop.readers;
                GRANT EXECUTE ON FUNCTION bookshop.lend_book(bigint, text) TO PUBLIC;
                """)
            let found = try await errors(shop)
            #expect(
                found == [
                    .otherLimit("name", declared: 100, present: 50, table: "bookshop.authors"),
                    .notKept(.changes, table: "bookshop.authors"), .notKept(.journal, table: "bookshop.authors"),
                    .notKept(.feed, table: "bookshop.readers"),
                    .notCommandsOwn("bookshop.lend_book(bigint, text)", command: "books.lend"),
                ])
            let told = ConventionErrors(errors: found).description
            #expect(told.contains("SELECT kernel.journal_keep('bookshop.authors')"))
            #expect(told.contains("SELECT kernel.feed_keep('bookshop.readers')"))
            #expect(told.contains("varchar(100)"))
            #expect(told.split(separator: "\n").count == found.count)
        }
    }

    @Test func `a right that the declaration gives and the database does not is named`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql("REVOKE UPDATE ON bookshop.authors FROM learntrack_admin")
            let noGrant = try await errors(shop)
            #expect(
                noGrant == [
                    .noGrant("UPDATE", columns: "name", role: "learntrack_admin", on: "bookshop.authors")
                ])
            try await shop.database.psql("GRANT UPDATE (name) ON bookshop.authors TO learntrack_admin")
            let granted = try await errors(shop)
            #expect(granted == [])
            try await shop.database.psql("DROP POLICY authors_select_user ON bookshop.authors")
            let noPolicy = try await errors(shop)
            #expect(noPolicy == [.noPolicy("SELECT", role: "learntrack_user", table: "bookshop.authors")])
        }
    }

    @Test func `rights to the schema and to the sequence are named, and those that a role inherits count`() async throws
    {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                """
                REVOKE USAGE ON SCHEMA bookshop FROM learntrack_bookshop_reader;
                REVOKE USAGE ON SEQUENCE bookshop.authors_id_seq FROM learntrack_admin;
                """)
            let found = try await errors(shop)
            #expect(
                found.contains(
                    .noGrant("USAGE", columns: "", role: "learntrack_bookshop_reader", on: "SCHEMA bookshop")))
            #expect(
                found.contains(
                    .noGrant("USAGE", columns: "", role: "learntrack_admin", on: "SEQUENCE bookshop.authors_id_seq")))
            try await shop.database.psql(
                """
                GRANT USAGE ON SCHEMA bookshop TO learntrack_bookshop_reader;
                GRANT USAGE ON SEQUENCE bookshop.authors_id_seq TO learntrack_admin;
                CREATE ROLE bookshop_staff_\(shop.database.name);
                -- Roles are the cluster's: other tests look at those that every installation has.
                GRANT bookshop_staff_\(shop.database.name) TO learntrack_bookshop_reader;
                DROP POLICY authors_select_bookshop_reader ON bookshop.authors;
                CREATE POLICY authors_staff ON bookshop.authors TO bookshop_staff_\(shop.database.name) USING (true);
                """)
            let inherited = try await errors(shop)
            #expect(inherited == [])
            try await shop.database.psql(
                """
                DROP POLICY authors_staff ON bookshop.authors;
                DROP ROLE bookshop_staff_\(shop.database.name);
                """)
        }
    }

    @Test func `a wider column is no mistake, and a trigger of TRUNCATE alone keeps no journal`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                """
                ALTER TABLE bookshop.authors ALTER COLUMN name TYPE varchar(150);
                DROP TRIGGER kernel_journal_update ON bookshop.authors;
                """)
            let found = try await errors(shop)
            #expect(found == [.notKept(.journal, table: "bookshop.authors")])
        }
    }

    @Test func `a function of a derived field and the name of a rule that are not there are named`() async throws {
        try await ServedBookshop.with { shop in
            func authors(_ derived: [DerivedField], _ rules: [Rule]) -> Domain {
                Domain(
                    name: "bookshop", label: "Librairie",
                    entities: [
                        Entity(
                            name: "authors", noun: Noun("auteur", plural: "auteurs", feminine: false), columns: [.id],
                            derived: derived, search: nil, defaultOrder: [], rules: rules,
                            access: Access(read: [.user], create: [], update: [], delete: []))
                    ])
            }
            let age = DerivedField("age", .integer, label: "Âge")
            let rule = Rule(constraint: "authors_aged", columns: ["id"], message: "…", holds: nil)
            let found = try await errors(shop, [authors([age], [rule])])
            #expect(
                found == [
                    .noRowFunction("age", table: "bookshop.authors"), .unknownRule("authors_aged", of: "authors"),
                ])
            try await shop.database.psql(
                """
                CREATE FUNCTION public.age(author bookshop.authors) RETURNS integer LANGUAGE sql STABLE RETURN 7;
                ALTER TABLE bookshop.authors ADD CONSTRAINT authors_aged CHECK (id > 0);
                """)
            let elsewhere = try await errors(shop, [authors([age], [rule])])
            #expect(elsewhere == [.noRowFunction("age", table: "bookshop.authors")])
            try await shop.database.psql("ALTER FUNCTION public.age(bookshop.authors) SET SCHEMA bookshop")
            let none = try await errors(shop, [authors([age], [rule])])
            #expect(none == [])
            // Functions compose names, so that the server warns of this one only.
            #expect(!ConventionError.unknownRule("authors_aged", of: "authors").isCertain)
        }
    }

    @Test func `what has no label is named, all at once`() async throws {
        try await ServedBookshop.with { shop in
            let authors = Entity(
                name: "authors", noun: Noun("auteur", plural: "auteurs", feminine: false),
                columns: [.id, Column("name", .text(maxLength: 100)), Column("country", .choice(["fr", "be"]))],
                search: nil, defaultOrder: [], access: Access(read: [.user], create: [], update: [], delete: []))
            let found = try await check(shop, [Domain(name: "bookshop", entities: [authors])])
            let places = [
                "the domain itself", "authors.name", "authors.country", "authors.country: the word fr",
                "authors.country: the word be",
            ]
            #expect(found == .unlabelled(places, domain: "bookshop"))
            #expect(found?.description.contains("give each column, relation and command a label:") == true)
        }
    }

    @Test func `a title that is no field is named`() async throws {
        try await ServedBookshop.with { shop in
            let authors = Entity(
                name: "authors", noun: Noun("auteur", plural: "auteurs", feminine: false), columns: [.id],
                title: "full_name", search: nil, defaultOrder: [],
                access: Access(read: [.user], create: [], update: [], delete: []))
            let found = try await check(shop, [Domain(name: "bookshop", label: "Librairie", entities: [authors])])
            #expect(found == .unknownTitle("full_name", entity: "authors"))
            #expect(found?.description.contains("the entity authors has no field full_name") == true)
        }
    }

    @Test func `a table that the server cannot use is named`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql("ALTER SEQUENCE bookshop.books_id_seq RENAME TO numbers")
            let noSequence = try await check(shop)
            #expect(noSequence == .noSequence("books_id_seq", table: "bookshop.books"))
            try await shop.database.psql("ALTER TABLE bookshop.books DROP COLUMN version CASCADE")
            let noColumn = try await check(shop)
            #expect(noColumn == .noColumn("version", table: "bookshop.books"))
            try await shop.database.psql("ALTER TABLE bookshop.authors RENAME TO writers")
            let noTable = try await check(shop)
            #expect(noTable == .noTable("bookshop.authors"))
        }
    }

    @Test func `a foreign key that no index begins with is named`() async throws {
        try await ServedBookshop.with { shop in
            let noIndex = ConventionError.noIndex(foreignKey: "books_author_id_fkey", table: "bookshop.books")
            try await shop.database.psql("DROP INDEX bookshop.books_author_id_idx")
            let without = try await check(shop)
            #expect(without == noIndex)
            try await shop.database.psql("CREATE INDEX ON bookshop.books (company_id, title, author_id)")
            let second = try await check(shop)
            #expect(second == noIndex)
            try await shop.database.psql("CREATE INDEX ON bookshop.books (company_id, author_id)")
            let first = try await check(shop)
            #expect(first == nil)
        }
    }

    @Test func `a table whose rows have no company, or a key that does not begin with it, is named`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                """
                CREATE UNIQUE INDEX books_title_key ON bookshop.books (title);
                CREATE INDEX books_words_idx ON bookshop.books USING gin (search_text gin_trgm_ops);
                ALTER TABLE bookshop.wishes DROP CONSTRAINT wishes_book_id_fkey, DROP CONSTRAINT wishes_pkey,
                    ADD CONSTRAINT wishes_pkey PRIMARY KEY (id);
                ALTER TABLE bookshop.settings DROP COLUMN company_id CASCADE;
                """)
            let found = try await errors(shop)
            #expect(
                found.filter { if case .noCompany = $0 { true } else { false } } == [
                    .noCompany(["books_title_key", "books_words_idx"], hasColumn: true, table: "bookshop.books"),
                    .noCompany(["wishes_pkey"], hasColumn: true, table: "bookshop.wishes"),
                    .noCompany([], hasColumn: false, table: "bookshop.settings"),
                ])
            let told = ConventionErrors(errors: found).description
            #expect(told.contains("do not begin with company_id: books_title_key, books_words_idx"))
            #expect(told.contains("SELECT kernel.company_keep('bookshop.wishes')"))
            #expect(told.contains("SELECT kernel.company_gin('bookshop.books') for GIN indexes"))
            // What the remedy says mends it.
            try await shop.database.psql(
                """
                SELECT kernel.company_keep('bookshop.books', 'bookshop.wishes', 'bookshop.settings');
                SELECT kernel.company_gin('bookshop.books');
                CREATE UNIQUE INDEX ON bookshop.settings (company_id);
                """)
            let mended = try await errors(shop)
            #expect(mended == [])
        }
    }

    @Test func `a function that a view cannot use is named`() async throws {
        try await ServedBookshop.with { shop in
            func found(after sql: String) async throws -> ConventionError? {
                try await shop.database.psql(sql)
                return try await check(shop)
            }
            let function = "bookshop.publications"
            let body = "LANGUAGE sql STABLE RETURN 1"
            let volatile = try await found(after: "ALTER FUNCTION \(function) VOLATILE")
            #expect(volatile == .noFunction(function))
            let scalar = try await found(
                after: """
                    DROP FUNCTION \(function);
                    CREATE FUNCTION \(function)(since date, until date DEFAULT NULL) RETURNS integer \(body);
                    """)
            #expect(scalar == .noFunction(function))
            let required = try await found(
                after: """
                    DROP FUNCTION \(function);
                    CREATE FUNCTION \(function)(since date, until date) RETURNS SETOF bookshop.books
                        LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM bookshop.books; END;
                    """)
            #expect(required == .noParameter("until", function: function))
            let columns = try await found(
                after: """
                    DROP FUNCTION \(function);
                    CREATE FUNCTION \(function)(since date, until date DEFAULT NULL) RETURNS SETOF bookshop.books
                        LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM bookshop.books; END;
                    """)
            #expect(columns == .noColumn("books", table: function))
            let overloaded = try await found(
                after: "CREATE FUNCTION \(function)(since integer) RETURNS integer \(body)")
            #expect(overloaded == .noFunction(function))
        }
    }

    @Test func `a command without its function, or with one that has the rights of its caller, is named`() async throws
    {
        try await ServedBookshop.with { shop in
            let missing = ConventionError.noCommandFunction("bookshop.lend_book(bigint, text)", command: "books.lend")
            try await shop.database.psql("ALTER FUNCTION bookshop.lend_book SECURITY INVOKER")
            #expect(try await check(shop) == missing)
            try await shop.database.psql("DROP FUNCTION bookshop.lend_book")
            #expect(try await check(shop) == missing)
        }
    }

    @Test func `a sequence of another table does not count`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                """
                ALTER TABLE bookshop.authors ALTER id DROP DEFAULT;
                ALTER SEQUENCE bookshop.authors_id_seq OWNED BY bookshop.books.id;
                """)
            let error = try await check(shop)
            #expect(error?.description.contains("bookshop.authors") == true)
        }
    }

    @Test func `a foreign key between records of subjects that leaves out the owner is named`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                """
                CREATE TABLE bookshop.notes (
                    company_id bigint NOT NULL DEFAULT kernel.company(),
                    id bigserial,
                    author_id bigint NOT NULL,
                    book_id bigint,
                    earlier_id bigint,
                    PRIMARY KEY (company_id, id),
                    FOREIGN KEY (company_id, author_id) REFERENCES bookshop.authors (company_id, id),
                    CONSTRAINT notes_book_id_fkey FOREIGN KEY (company_id, book_id) REFERENCES bookshop.books (company_id, id));
                CREATE INDEX ON bookshop.notes (company_id, author_id);
                CREATE INDEX ON bookshop.notes (company_id, book_id);
                CREATE INDEX ON bookshop.notes (company_id, earlier_id);
                ALTER TABLE bookshop.books ADD UNIQUE (company_id, id, author_id);
                ALTER TABLE bookshop.notes ADD UNIQUE (company_id, id, author_id);
                """)
            let byID = try await check(shop, [Self.notes])
            #expect(
                byID == .foreignKeyWithoutOwner("notes_book_id_fkey", owner: "author_id", table: "bookshop.notes"))
            #expect(byID?.description.contains("bookshop.notes") == true)
            try await shop.database.psql(
                """
                ALTER TABLE bookshop.notes DROP CONSTRAINT notes_book_id_fkey,
                    ADD CONSTRAINT notes_book_id_fkey
                    FOREIGN KEY (company_id, book_id, author_id) REFERENCES bookshop.books (company_id, id, author_id);
                """)
            let byOwner = try await check(shop, [Self.notes])
            #expect(byOwner == nil)
            // The same for a reference within the table.
            try await shop.database.psql(
                """
                ALTER TABLE bookshop.notes ADD CONSTRAINT notes_earlier_id_fkey
                    FOREIGN KEY (company_id, earlier_id) REFERENCES bookshop.notes (company_id, id)
                """)
            let within = try await check(shop, [Self.notes])
            #expect(
                within == .foreignKeyWithoutOwner("notes_earlier_id_fkey", owner: "author_id", table: "bookshop.notes"))
        }
    }

    @Test func `a foreign key to records that a role writes to without reading them is named, unless it is declared`()
        async throws
    {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(Self.reviewTable)
            let name = "reviews_author_id_fkey"
            for reach in [Reach?.none, .own("id")] {
                let hidden = try await check(shop, [Self.reviews(readingAuthors: reach)])
                #expect(hidden == .foreignKeyToUnread(name, role: "bookshop_critic", table: "bookshop.reviews"))
                let declared = try await check(shop, [Self.reviews(readingAuthors: reach, disclosing: [name])])
                #expect(declared == nil)
            }
            let read = try await check(shop, [Self.reviews(readingAuthors: .every)])
            #expect(read == nil)
            let fixed = try await check(shop, [Self.reviews(readingAuthors: nil, authorAccess: .readOnly)])
            #expect(fixed == nil)
        }
    }

    @Test(arguments: [
        "ALTER TABLE bookshop.reviews ADD CONSTRAINT reviews_compared UNIQUE (company_id, title)",
        "ALTER TABLE bookshop.reviews ADD CONSTRAINT reviews_compared EXCLUDE USING btree (company_id WITH =, title WITH =)",
        "CREATE UNIQUE INDEX reviews_compared ON bookshop.reviews (company_id, lower(title))",
    ])
    func `a constraint that compares the records of one subject with those of others is named, unless it is declared`(
        sql: String
    ) async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(Self.reviewTable)
            let own = Reach.own("critic_id")
            let before = try await check(shop, [Self.reviews(readingAuthors: .every, reach: own)])
            #expect(before == nil)
            try await shop.database.psql(sql)
            let found = try await check(shop, [Self.reviews(readingAuthors: .every, reach: own)])
            let error = ConventionError.comparisonWithOthers(
                constraint: "reviews_compared", role: "bookshop_critic", table: "bookshop.reviews")
            #expect(found == error)
            let declared = try await check(
                shop, [Self.reviews(readingAuthors: .every, reach: own, disclosing: ["reviews_compared"])])
            #expect(declared == nil)
            // Who reads every record learns nothing.
            let every = try await check(shop, [Self.reviews(readingAuthors: .every)])
            #expect(every == nil)
            try await shop.database.psql(
                """
                ALTER TABLE bookshop.reviews DROP CONSTRAINT IF EXISTS reviews_compared;
                DROP INDEX IF EXISTS bookshop.reviews_compared;
                ALTER TABLE bookshop.reviews ADD CONSTRAINT reviews_compared UNIQUE (company_id, critic_id, title);
                """)
            let scoped = try await check(shop, [Self.reviews(readingAuthors: .every, reach: own)])
            #expect(scoped == nil)
        }
    }

    @Test func `a column that names files is one that the database keeps to its rule`() async throws {
        try await ServedBookshop.with { shop in
            func found(after sql: String) async throws -> ConventionError? {
                try await shop.database.psql(sql)
                return try await check(shop, [Self.covers])
            }
            func key(_ action: String, company: String = "company_id, ") -> String {
                """
                ALTER TABLE bookshop.books DROP CONSTRAINT IF EXISTS books_cover_fkey,
                    ADD CONSTRAINT books_cover_fkey FOREIGN KEY (\(company)cover)
                    REFERENCES kernel.files (\(company)id) \(action)
                """
            }
            func keep(_ limits: String) -> String { "SELECT kernel.file_keep('bookshop.books', 'cover', \(limits))" }
            let noKey = ConventionError.noFileKey(column: "cover", table: "bookshop.books")
            let noCheck = ConventionError.noFileCheck(column: "cover", table: "bookshop.books")
            let without = try await found(
                after: "ALTER TABLE bookshop.books ADD cover bigint; CREATE INDEX ON bookshop.books (company_id, cover)"
            )
            #expect(without == noKey)
            for action in ["ON DELETE CASCADE", "ON DELETE SET NULL (cover)"] {
                let acting = try await found(after: key(action))
                #expect(acting == noKey, "\(action)")
            }
            let unchecked = try await found(after: key(""))
            #expect(unchecked == noCheck)
            for limits in [
                "2000, 'image/png', 'image/jpeg'", "1000, 'image/png'", "1000, 'image/png', 'image/svg+xml'",
            ] {
                let other = try await found(after: keep(limits))
                #expect(other == noCheck, "\(limits)")
            }
            let kept = try await found(after: keep("1000, 'image/jpeg', 'image/png'"))
            #expect(kept == nil)
            // A key of before files belonged to companies.
            let crossing = try await found(after: key("", company: ""))
            #expect(crossing == .noCompany(["books_cover_fkey"], hasColumn: true, table: "bookshop.books"))
            let mended = try await found(after: "SELECT kernel.company_keep('bookshop.books')")
            #expect(mended == nil)
            let disabled = try await found(after: "ALTER TABLE bookshop.books DISABLE TRIGGER file_cover")
            #expect(disabled == noCheck)
        }
    }

    @Test(arguments: ["photo", ""])
    func `a member of a column's objects that names files is checked and noted`(member: String) async throws {
        let photo = Column(member, .bigint, nullable: false, file: FileRule([.png], maxBytes: 1_000), label: "Photo")
        let shape = Shape.list(of: member.isEmpty ? .scalar(photo) : .object([photo]), count: 0...5)
        let reader = Role("bookshop_reader", label: "Lecteur")
        let domain = Domain(
            name: "bookshop", label: "Librairie", roles: [reader],
            entities: [
                Entity(
                    name: "books", noun: Noun("livre", plural: "livres", feminine: false),
                    columns: [.id, Column("blocks", .json(shape), label: "Contenu")], search: nil,
                    defaultOrder: [OrderTerm("id")],
                    access: Access(read: [reader], create: [], update: [], delete: []))
            ])
        try await ServedBookshop.with { shop in
            func found(after sql: String) async throws -> ConventionError? {
                try await shop.database.psql(sql)
                return try await check(shop, [domain])
            }
            func keep(_ limits: String) -> String {
                "SELECT kernel.file_list_keep('bookshop.books', 'blocks', '\(member)', \(limits))"
            }
            let noCheck = ConventionError.noFileCheck(column: "blocks", table: "bookshop.books")
            let without = try await found(after: "ALTER TABLE bookshop.books ADD blocks jsonb")
            #expect(without == noCheck)
            for limits in ["2000, 'image/png'", "1000, 'image/jpeg'"] {
                let other = try await found(after: keep(limits))
                #expect(other == noCheck, "\(limits)")
            }
            let kept = try await found(after: keep("1000, 'image/png'"))
            #expect(kept == nil)
            for name in ["files_blocks", "files_blocks_note"] {
                let trigger = member.isEmpty ? name : name.replacing("blocks", with: "blocks_\(member)")
                let disabled = try await found(after: "ALTER TABLE bookshop.books DISABLE TRIGGER \(trigger)")
                #expect(disabled == noCheck, "\(trigger)")
                try await shop.database.psql("ALTER TABLE bookshop.books ENABLE TRIGGER \(trigger)")
            }
        }
    }

    @Test func `an entity with one record at most has a unique index over the company`() async throws {
        let reader = Role("bookshop_reader", label: "Lecteur")
        let domain = Domain(
            name: "bookshop", label: "Librairie", roles: [reader],
            entities: [
                Entity(
                    name: "books", noun: Noun("livre", plural: "livres", feminine: false), columns: [.id], search: nil,
                    defaultOrder: [OrderTerm("id")],
                    access: Access(read: [reader], create: [], update: [], delete: []), isSingle: true)
            ])
        try await ServedBookshop.with { shop in
            func found(after sql: String) async throws -> ConventionError? {
                try await shop.database.psql(sql)
                return try await check(shop, [domain])
            }
            let several = ConventionError.notSingle(table: "bookshop.books")
            for index in ["(company_id, id)", "(company_id) WHERE id > 0"] {
                let found = try await found(after: "CREATE UNIQUE INDEX ON bookshop.books \(index)")
                #expect(found == several, "\(index)")
            }
            let one = try await found(
                after: "DELETE FROM bookshop.books; CREATE UNIQUE INDEX books_single_idx ON bookshop.books (company_id)"
            )
            #expect(one == nil)
        }
    }

    /// Books with covers.
    private static let covers: Domain = {
        let reader = Role("bookshop_reader", label: "Lecteur")
        return Domain(
            name: "bookshop", label: "Librairie", roles: [reader],
            entities: [
                Entity(
                    name: "books", noun: Noun("livre", plural: "livres", feminine: false),
                    columns: [
                        .id, Column("cover", .bigint, file: FileRule([.png, .jpeg], maxBytes: 1_000), label: "…"),
                    ], search: nil, defaultOrder: [OrderTerm("id")],
                    access: Access(read: [reader], create: [], update: [], delete: []))
            ])
    }()

    private static let reviewTable = """
        CREATE TABLE bookshop.reviews (
            company_id bigint NOT NULL DEFAULT kernel.company(),
            id bigserial,
            critic_id bigint NOT NULL,
            author_id bigint,
            title text,
            version integer NOT NULL DEFAULT 1,
            PRIMARY KEY (company_id, id),
            CONSTRAINT reviews_author_id_fkey FOREIGN KEY (company_id, author_id) REFERENCES bookshop.authors (company_id, id));
        CREATE INDEX ON bookshop.reviews (company_id, author_id);
        """

    /// Critics, who write reviews.
    private static func reviews(
        readingAuthors: Reach?, authorAccess: Column.Access = .readWrite, reach: Reach = .every,
        disclosing: Set<String> = []
    ) -> Domain {
        let critic = Role("bookshop_critic", subject: "authors", label: "Critique")
        let noun = Noun("fiche", plural: "fiches", feminine: true)
        let authors: Grants = readingAuthors.map { [critic: $0] } ?? []
        return Domain(
            name: "bookshop", label: "Librairie", roles: [critic],
            entities: [
                Entity(
                    name: "authors", noun: noun, columns: [.id], search: nil, defaultOrder: [OrderTerm("id")],
                    access: Access(read: authors, create: [], update: [], delete: [])),
                Entity(
                    name: "reviews", noun: noun,
                    columns: [
                        .id, Column("critic_id", .bigint, nullable: false, label: "…"),
                        Column("author_id", .bigint, access: authorAccess, label: "…"),
                        Column("title", .text(maxLength: nil), label: "…"),
                    ], search: nil, defaultOrder: [OrderTerm("id")], disclosingConstraints: disclosing,
                    access: Access(read: [critic: reach], create: [critic: reach], update: [], delete: [])),
            ])
    }

    /// Authors, who see themselves, their books and their notes on them.
    private static let notes: Domain = {
        let author = Role("bookshop_author", subject: "authors", label: "Auteur")
        func entity(_ name: String, own column: String, _ further: [Column]) -> Entity {
            Entity(
                name: name, noun: Noun("fiche", plural: "fiches", feminine: true), columns: [.id] + further,
                search: nil, defaultOrder: [OrderTerm("id")],
                access: Access(read: [author: .own(column)], create: [], update: [], delete: []))
        }
        let owner = Column("author_id", .bigint, nullable: false, label: "…")
        return Domain(
            name: "bookshop", label: "Librairie", roles: [author],
            entities: [
                entity("authors", own: "id", []), entity("books", own: "author_id", [owner]),
                entity(
                    "notes", own: "author_id",
                    [owner, Column("book_id", .bigint, label: "…"), Column("earlier_id", .bigint, label: "…")]),
            ])
    }()
}
