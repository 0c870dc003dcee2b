import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// docs/adding-a-domain.md, "What of several companies?": the domain of the tutorial, whose author has done nothing for them.
@Suite struct BookshopCompaniesTests {
    private static let program = TestProgram.probe(["bookshop"])
    private static let isbn = "9782253004226"

    /// A client of the administrator of the tests in a company.
    private static func admin(_ company: Int, on server: TestServer) async throws -> RPCClient {
        let session = try await server.client(nil).call(
            "auth.login",
            [
                "email": .string(TestServer.admin), "password": .string(TestServer.password),
                "company_id": JSONValue(company),
            ])
        return try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    /// A server in which the second company is added while it serves. Rows of either company get the ids 1, 2 …
    private static func server() async throws -> (server: TestServer, first: RPCClient, second: RPCClient) {
        let server = try await TestServer.start(program: program)
        let first = try await admin(1, on: server)
        try await fill(first, "Émile Zola", "Germinal")
        let enabled = try await LearnTrackProcess.run(
            ["companies", "enable"], environment: ["DATABASE_URL": server.database.connectionString], program: program)
        guard enabled.status == 0 else { throw TestEnvironmentError(enabled.errors) }
        try await server.database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Voisine');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (email, username, role) VALUES ('\(TestServer.admin)', 'admin', 'admin');
            COMMIT;
            SELECT setval(format('bookshop.%I', relname), 1, false) FROM pg_class
            WHERE relkind = 'S' AND relnamespace = 'bookshop'::regnamespace;
            """)
        let second = try await admin(2, on: server)
        try await fill(second, "Honoré de Balzac", "Le Père Goriot")
        return (server, first, second)
    }

    /// An author, a book and a reader, each with the id 1.
    private static func fill(_ admin: RPCClient, _ author: String, _ title: String) async throws {
        let made = try await admin.call("authors.create", ["values": ["name": .string(author)]])
        let book = try await admin.call(
            "books.create",
            [
                "values": [
                    "title": .string(title), "isbn": .string(isbn), "published": "1885-03-02",
                    "author_id": made["id"] ?? .null,
                ]
            ])
        let reader = try await admin.call("readers.create", ["values": ["name": .string("Lecteur de \(author)")]])
        #expect(made["id"] == 1 && book["id"] == 1 && reader["id"] == 1)
    }

    @Test func `two companies have the same isbn and the same ids, and neither reads or changes a row of the other`()
        async throws
    {
        let (server, first, second) = try await Self.server()
        for (admin, author, title) in [
            (first, "Émile Zola", "Germinal"), (second, "Honoré de Balzac", "Le Père Goriot"),
        ] {
            let books = try await admin.call(
                "books.list", ["select": "{ author { name } id isbn title }", "count": true])
            #expect(books["total"] == 1)
            #expect(
                books["items"] == [
                    ["author": ["name": .string(author)], "id": 1, "isbn": .string(Self.isbn), "title": .string(title)]
                ])
            let authors = try await admin.call("authors.list", ["select": "{ book_count books { title } name }"])
            #expect(
                authors["items"] == [
                    ["book_count": 1, "books": [["title": .string(title)]], "name": .string(author)]
                ])
            let publications = try await admin.call(
                "publications.list", ["since": "1880-01-01", "select": "{ books author { name } }"])
            #expect(publications["items"] == [["author": ["name": .string(author)], "books": 1]])
            #expect(try await admin.call("books.aggregate", ["select": "{ count }"]).at("/items/0/count") == 1)
            #expect(try await admin.call("books.history", ["id": 1]).at("/items").array.count == 1)
            #expect(try await admin.call("books.cite", ["id": 1])["text"] == .string("\(author), \(title)"))
            // In the own company the ISBN is taken.
            let again = try await admin.refusal(
                "books.create",
                ["values": ["title": "Double", "isbn": .string(Self.isbn), "author_id": 1], "dry_run": true])
            #expect(again["code"] == 409, "\(again.json)")
        }
        let found = try await second.call("books.list", ["search": "germ", "select": "{ title }"])
        #expect(found["items"] == [])

        // The command, and its conflict that names a reader.
        let lent = try await first.call("books.lend", ["id": 1, "reader": "Nana", "select": "{ title reader }"])
        #expect(lent == ["reader": "Nana", "title": "Germinal"])
        #expect(try await second.call("books.get", ["id": 1, "select": "{ reader }"])["reader"] == .null)
        _ = try await second.call("books.lend", ["id": 1, "reader": "Vautrin"])
        let taken = try await second.refusal("books.lend", ["id": 1, "reader": "Rastignac"])
        #expect(taken.at("/data/reader") == "Vautrin")
        // The only record of each.
        for (admin, name) in [(first, "Au Bonheur des pages"), (second, "La Peau de chagrin")] {
            let shop = try await admin.call("settings.open")
            _ = try await admin.call(
                "settings.update", ["id": shop["id"] ?? .null, "values": ["shop_name": .string(name)]])
        }
        #expect(try await first.call("settings.get")["shop_name"] == "Au Bonheur des pages")
        #expect(try await second.call("settings.get")["shop_name"] == "La Peau de chagrin")

        // A book of the other company is like one that never was.
        let further = try await second.call("books.create", ["values": ["title": "Splendeurs", "author_id": 1]])
        let (id, none) = (further["id"] ?? .null, JSONValue(9_000))
        for (method, params) in [
            ("books.get", [:]), ("books.update", ["values": ["title": "x"]]), ("books.delete", [:]),
            ("books.cite", [:]), ("books.history", [:]), ("books.lend", ["reader": "x"]),
        ] as [(String, JSONValue)] {
            let foreign = try await first.response(method, params.setting("/id", to: id))
            let missing = try await first.response(method, params.setting("/id", to: none))
            #expect(try Self.without(id, foreign) == Self.without(none, missing), "\(method)")
        }
        let across = await #expect(throws: TestEnvironmentError.self) {
            try await server.database.psql(
                """
                INSERT INTO bookshop.authors (company_id, id, name) VALUES (2, 50, 'Balzac');
                INSERT INTO bookshop.books (company_id, title, author_id) VALUES (1, 'x', 50);
                """)
        }
        #expect(across?.description.contains("books_author_id_fkey") == true, "\(across?.description ?? "accepted")")
        #expect(try await server.stop() == 0)
        try await server.database.drop()
    }

    /// What an answer says beside the id of the request, of the record and of the call.
    private static func without(_ id: JSONValue, _ response: JSONValue) throws -> String {
        let answer = response.setting("/id", to: nil).setting("/error/data/request_id", to: nil)
        return answer.json.replacing(try Regex("\\b\(id.json)\\b"), with: "n")
    }

    @Test func `a reader of one company has the wishes of that company alone, although another has the same subject`()
        async throws
    {
        let (server, _, _) = try await Self.server()
        var admins: [RPCClient] = []
        var readers: [RPCClient] = []
        for company in [1, 2] {
            let before = try await Self.admin(company, on: server)
            let account = try await before.call("auth.me")["id"] ?? .null
            _ = try await before.call(
                "account_roles.create", ["values": ["account_id": account, "role": "bookshop_reader", "subject": 1]])
            // A new role ends the tokens of the account.
            let admin = try await Self.admin(company, on: server)
            admins.append(admin)
            let key = try await admin.call(
                "auth.create_access_key", ["account_id": account, "role": "bookshop_reader", "name": "Liseuse"])
            readers.append(try RPCClient(port: server.port, token: try #require(key["key"]?.text)))
        }
        _ = try await readers[1].call("wishes.create", ["values": ["book_id": 1]])
        let wishes: JSONValue = ["select": "{ reader { name } book { title } }"]
        #expect(try await readers[0].call("wishes.list", wishes)["items"] == [])
        #expect(try await admins[0].call("wishes.list", wishes)["items"] == [])
        for client in [readers[1], admins[1]] {
            #expect(
                try await client.call("wishes.list", wishes)["items"] == [
                    ["book": ["title": "Le Père Goriot"], "reader": ["name": "Lecteur de Honoré de Balzac"]]
                ])
        }
        // The same in SQL, without the server.
        for (company, count) in [("1", "0"), ("2", "1"), ("", "0")] {
            let seen = try await server.database.psql(
                """
                SET ROLE learntrack_bookshop_reader; SET learntrack.subject = '1'; SET learntrack.company = '\(company)';
                SELECT count(*) FROM bookshop.wishes
                """)
            #expect(seen.split(separator: "\n").last.map(String.init) == count, "in company '\(company)'")
        }
        #expect(try await server.stop() == 0)
        try await server.database.drop()
    }

    @Test func `the tutorial's tables are kept apart, and a server that starts finds nothing missing`() async throws {
        let (server, _, _) = try await Self.server()
        let guarded = try await server.database.psql(
            """
            SELECT string_agg(polrelid::regclass::text, ' ' ORDER BY polrelid::regclass::text) FROM pg_policy
            WHERE polname = 'company' AND polrelid::regclass::text LIKE 'bookshop.%'
            """)
        #expect(guarded == "bookshop.authors bookshop.books bookshop.readers bookshop.settings bookshop.wishes")
        let check = try await LearnTrackProcess.run(
            ["migrate", "check", "bookshop"], environment: ["DATABASE_URL": server.database.connectionString],
            program: Self.program)
        #expect(check.status == 0, "\(check.output)\(check.errors)")
        #expect(try await server.stop() == 0)
        let again = try await TestServer.start(database: server.database, program: Self.program)
        let books = try await Self.admin(2, on: again).call("books.list", ["select": "{ title }"])
        #expect(books["items"] == [["title": "Le Père Goriot"]])
        #expect(try await again.stop() == 0)
        try await server.database.drop()
    }
}
