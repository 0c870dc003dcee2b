import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// `docs/adding-a-domain.md`: its files, its migration and its calls.
@Suite struct TutorialTests {
    @Test func `the page shows every file of the example byte for byte`() throws {
        let root = try ProjectFiles.root() + "/"
        let shown = try Tutorial().files
        let folder = root + "Examples/Bookshop"
        let existing = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".sql") }
        #expect(Set(shown.map(\.path)) == Set(existing.map { "Examples/Bookshop/" + $0 }))
        for file in shown {
            #expect(file.content == (try String(contentsOfFile: root + file.path, encoding: .utf8)), "\(file.path)")
        }
    }

    @Test func `the calls of the page have the responses that it shows`() async throws {
        let calls = try Tutorial().calls
        #expect(calls.count == 10)
        try await ServedBookshop.with { shop in
            for call in calls {
                let response = try await shop.answer(call.request, as: .admin)
                // The cursor depends on the statement, and the page abbreviates it.
                #expect(
                    response.replacing(/"end_cursor":"[^"]+"/, with: #""end_cursor":"…""#) == call.response,
                    "\(call.request)")
            }
        }
    }

    @Test func `the database enforces the rule, the formats and the rights of the declaration`() async throws {
        try await ServedBookshop.with { shop in
            let values = [
                ("title, published, reprinted", "'x', '1885-03-02', '1885-03-02'", "books_reprinted_after_published"),
                ("title, isbn", "'x', '123'", "books_isbn_check"), ("title, price", "'x', -1", "books_price_check"),
                ("title", "' '", "books_title_check"),
            ]
            try await shop.database.psql("INSERT INTO bookshop.authors (name) VALUES ('Émile Zola')")
            for (columns, row, constraint) in values {
                let error = await #expect(throws: TestEnvironmentError.self) {
                    try await shop.database.psql(
                        "INSERT INTO bookshop.books (author_id, \(columns)) VALUES (1, \(row))")
                }
                #expect(error?.description.contains(constraint) == true, "\(error?.description ?? "accepted")")
            }
            let creation = #"{"jsonrpc":"2.0","id":1,"method":"authors.create","params":{"values":{"name":"x"}}}"#
            #expect(try await shop.answer(creation, as: .user).contains(#""code":"forbidden""#))
            let list = #"{"jsonrpc":"2.0","id":1,"method":"authors.list","params":{"select":"{ name }"}}"#
            #expect(try await shop.answer(list, as: .user).contains(#""items":[{"name":"Émile Zola"}]"#))
            let history =
                #"{"jsonrpc":"2.0","id":1,"method":"authors.history","params":{"id":1,"select":"{ operation }"}}"#
            #expect(try await shop.answer(history, as: .user).contains(#""items":[{"operation":"create"}]"#))
            await #expect(throws: TestEnvironmentError.self) {
                try await shop.database.psql(
                    "SET ROLE learntrack_user; INSERT INTO bookshop.authors (name) VALUES ('x')")
            }
        }
    }

    @Test func `a reader reads, creates and deletes own wishes only`() async throws {
        try await ServedBookshop.with { shop in
            func call(_ method: String, _ params: String, _ token: String? = nil) async throws -> String {
                let request = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
                if let token { return try await shop.answer(request, token: token) }
                return try await shop.answer(request, as: .admin)
            }
            try await shop.database.psql(
                """
                INSERT INTO bookshop.authors (name) VALUES ('x');
                INSERT INTO bookshop.books (title, author_id) VALUES ('x', 1);
                INSERT INTO bookshop.readers (name) VALUES ('Nana'), ('Étienne');
                INSERT INTO bookshop.wishes (reader_id, book_id) VALUES (1, 1), (2, 1);
                """)
            _ = try await call(
                "account_roles.create", #"{"values":{"account_id":1,"role":"bookshop_reader","subject":2}}"#)
            let signedIn = try await call(
                "auth.login", #"{"email":"user@test.example","password":"\#(ServedBookshop.password)"}"#)
            let token = String(try #require(signedIn.firstMatch(of: /"access_token":"([^"]+)"/), "\(signedIn)").1)
            let created = try await call(
                "wishes.create",
                #"{"values":{"book_id":1},"select":"{ id reader { name } book { title } }"}"#, token)
            #expect(
                created.contains(#""result":{"id":3,"reader":{"name":"Étienne"},"book":{"title":"x"}}"#),
                "\(created)")
            let given = try await call("wishes.create", #"{"values":{"reader_id":1,"book_id":1}}"#, token)
            #expect(given.contains(#""path":"/values/reader_id","code":"read_only""#), "\(given)")
            let listed = try await call("wishes.list", #"{"select":"{ id }"}"#, token)
            #expect(listed.contains(#""items":[{"id":2},{"id":3}]"#), "\(listed)")
            let others = try await call("wishes.delete", #"{"id":1}"#, token)
            #expect(others.contains(#""code":404"#), "\(others)")
            let readers = try await call("readers.list", #"{"select":"{ name wishes { id } }"}"#, token)
            #expect(
                readers.contains(#""items":[{"name":"Étienne","wishes":[{"id":2},{"id":3}]}]"#), "\(readers)")
            // The same in SQL, without the server.
            let seen = try await shop.database.psql(
                """
                SET ROLE learntrack_bookshop_reader; SET learntrack.subject = '2';
                SELECT 'wishes ' || string_agg(id::text, ' ' ORDER BY id) FROM bookshop.wishes
                """)
            #expect(seen.hasSuffix("wishes 2 3"), "\(seen)")
        }
    }

    @Test func `a command is the only right to what it writes`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                "INSERT INTO bookshop.authors (name) VALUES ('x'); INSERT INTO bookshop.books (title, author_id) VALUES ('x', 1)"
            )
            for role in ["learntrack_user", "learntrack_admin"] {
                await #expect(throws: TestEnvironmentError.self) {
                    try await shop.database.psql("SET ROLE \(role); UPDATE bookshop.books SET reader = 'Nana'")
                }
            }
            let lend =
                #"{"jsonrpc":"2.0","id":1,"method":"books.lend","params":{"id":1,"reader":"Nana","select":"{ reader }"}}"#
            #expect(try await shop.answer(lend, as: .user).contains(#""result":{"reader":"Nana"}"#))
            let owner = "SELECT relowner::regrole FROM pg_class WHERE oid = 'bookshop.books'::regclass"
            #expect(try await !shop.database.psql(owner).contains("commands"))
            await #expect(throws: TestEnvironmentError.self) {
                try await shop.database.psql("SET ROLE learntrack_auth; SELECT bookshop.lend_book(1, 'x')")
            }
        }
    }

    @Test func `who may not use the schema of a table does not read its entries in the journal`() async throws {
        try await ServedBookshop.with { shop in
            try await shop.database.psql(
                """
                INSERT INTO bookshop.authors (name) VALUES ('x');
                REVOKE USAGE ON SCHEMA bookshop FROM learntrack_user;
                """)
            let seen = "SELECT count(*) FROM journal WHERE table_name = 'authors'"
            #expect(try await shop.database.psql("SET ROLE learntrack_user; " + seen).hasSuffix("0"))
            #expect(try await shop.database.psql("SET ROLE learntrack_admin; " + seen).hasSuffix("1"))
        }
    }
}
