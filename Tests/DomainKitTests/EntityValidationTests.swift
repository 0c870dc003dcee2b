import DomainKit
import JSON
import Testing

@testable import Bookshop

/// The books of the tutorial with further columns, so that every check of a column occurs.
private let books = Entity(
    name: "books", noun: Bookshop.books.noun,
    columns: Bookshop.books.columns + [
        Column("rating", .decimal(precision: 4, scale: 1), minimum: -5, summary: "Note."),
        Column("kind", .choice(["novel", "essay"]), nullable: false, hasDefault: true, summary: "Genre."),
        Column("shelf", .smallint(1...9), summary: "Rayon."),
    ],
    derived: Bookshop.books.derived, relations: Bookshop.books.relations, search: nil, defaultOrder: [],
    rules: Bookshop.books.rules, access: Bookshop.access)

@Suite struct EntityValidationTests {
    private let long = String(repeating: "x", count: 201)

    @Test func `valid values have no problem`() {
        let values = object([
            "title": "Germinal", "price": .number("7.90"), "isbn": nil, "kind": "novel", "author_id": 1,
        ])
        #expect(books.problems(in: values, for: .create) == [])
    }

    @Test func `all problems are reported at once, with path and code`() {
        let values = object([
            "title": .string(long), "isbn": "1", "price": .number("-0.01"), "kind": "poem", "shelf": 12,
            "published": "2026-02-30", "id": 3, "gross_price": 4, "author": 5, "titel": "x",
        ])
        let problems = books.problems(in: values, for: .create)
        #expect(
            problems.map { "\($0.path) \($0.code.rawValue)" } == [
                "/values/title too_long", "/values/isbn format", "/values/price out_of_range", "/values/kind format",
                "/values/shelf out_of_range", "/values/published format", "/values/id read_only",
                "/values/gross_price read_only",
                "/values/author unknown", "/values/titel unknown", "/values/author_id required",
            ])
        #expect(problems.suffix(3).map(\.suggestion) == ["author_id", "title", nil])
        #expect(problems.allSatisfy { $0.message.hasSuffix(".") })
    }

    @Test func `a value that only the database knows is a problem beside others alone`() {
        let genre = Format(
            name: "genre", message: "Donnez un genre de la liste, comme roman.", isKnown: { $0 == "roman" },
            accepts: { $0 != "" })
        let set = ColumnSet([
            Column("genre", .text(maxLength: 20), format: genre, summary: ""),
            Column("pages", .integer, minimum: 1, summary: ""),
        ])
        func found(_ values: KeyValuePairs<String, JSONValue>) -> [String] {
            set.problems(in: object(values), for: .create, at: "").map { "\($0.path) \($0.code.rawValue)" }
        }
        #expect(found(["genre": "conte", "pages": 3]) == [])
        #expect(found(["genre": "conte", "pages": 0]) == ["/pages out_of_range", "/genre format"])
        #expect(found(["genre": "roman", "pages": 0]) == ["/pages out_of_range"])
        #expect(found(["genre": "", "pages": 3]) == ["/genre format"])
    }

    @Test func `create needs every required column, and no write may empty one`() {
        #expect(codes([:], .create) == ["/values/title required", "/values/author_id required"])
        #expect(codes([:], .update) == [])
        #expect(codes([:], .duplicate) == [])
        for kind in [WriteKind.update, .duplicate] {
            #expect(codes(["title": nil], kind) == ["/values/title required"])
            #expect(codes(["title": ""], kind) == ["/values/title required"])
            #expect(codes(["title": "\t \u{A0}\u{202F}\n"], kind) == ["/values/title required"])
            #expect(codes(["title": "\u{1}\u{7F}\u{9F}"], kind) == ["/values/title required"])
        }
        #expect(codes(["title": "", "author_id": 1], .create) == ["/values/title required"])
        #expect(codes(["title": "t", "author_id": 1, "kind": nil], .create) == ["/values/kind required"])
    }

    @Test func `an empty text does not have a format`() {
        #expect(codes(["isbn": ""], .update) == ["/values/isbn format"])
    }

    @Test func `a violated rule is reported at the last of its columns that was given`() {
        let path = ["/values/reprinted rule"]
        #expect(codes(["published": "2026-01-02", "reprinted": "2026-01-01"], .update) == path)
        #expect(codes(["reprinted": "2026-01-01", "published": "2026-01-02"], .update) == path)
    }

    @Test func `a rule is not checked if a value is missing, null or invalid`() {
        #expect(codes(["published": "2026-01-02"], .update) == [])
        #expect(codes(["published": "2026-01-02", "reprinted": nil], .update) == [])
        #expect(codes(["published": "2026-01-02", "reprinted": "x"], .update) == ["/values/reprinted format"])
    }

    @Test func `paths are JSON Pointers below the given path`() {
        let problems = books.problems(in: object(["a/b~c": 1]), for: .update, at: "/x")
        #expect(problems.map(\.path) == ["/x/a~1b~0c"])
    }

    @Test(arguments: [
        ("-5", true), ("-5.0", true), ("-4.9", true), ("-5.1", false), ("-6", false), ("-100", false), ("0", true),
        ("0.1", true), ("-0.1", true), ("99", true),
    ])
    func `a minimum is exact`(digits: String, isTaken: Bool) {
        #expect(codes(["rating": .number(digits)], .update).isEmpty == isTaken)
    }

    @Test func `of many unknown names all are reported, at most a hundred with a suggestion, long ones cut`() {
        let flood = JSONObject((0..<5000).map { JSONObject.Member("titel\($0 % 10)\($0)", nil) })
        let problems = books.problems(in: flood, for: .update)
        #expect(problems.count == 5000)
        #expect(problems.filter { $0.suggestion != nil }.count <= 100)
        let name = String(repeating: "x", count: 100_000)
        let problem = books.problems(in: JSONObject([JSONObject.Member(name, 1)]), for: .update).first
        #expect(problem?.path == "/values/\(name.prefix(64))…")
        #expect((problem?.message.count ?? .max) < 200)
    }

    private func codes(_ values: KeyValuePairs<String, JSONValue>, _ kind: WriteKind) -> [String] {
        books.problems(in: object(values), for: kind).map { "\($0.path) \($0.code.rawValue)" }
    }

    private func object(_ values: KeyValuePairs<String, JSONValue>) -> JSONObject {
        JSONObject(values.map { JSONObject.Member($0.key, $0.value) })
    }
}

@Suite struct ConstraintProblemTests {
    let given = JSONObject([
        JSONObject.Member("published", "2026-01-02"), JSONObject.Member("isbn", "1"), JSONObject.Member("title", ""),
    ])

    @Test(arguments: [
        ("books_isbn_check", "/values/isbn", Problem.Code.format),
        ("books_reprinted_after_published", "/values/published", .rule),
        ("books_title_check", "/values/title", .required),
        ("books_price_check", "/values", .outOfRange),
        ("books_shelf_check", "/values", .outOfRange),
        ("books_kind_check", "/values", .format),
        ("books_author_id_fkey", "/values", .notFound),
        ("books_isbn_key", "/values/isbn", .duplicate),
    ])
    func `a known constraint has a path and a code`(name: String, path: String, code: Problem.Code) throws {
        let problem = try #require(books.problem(forConstraint: name, given: given))
        #expect(problem.path == path)
        #expect(problem.code == code)
        #expect(problem.message.hasPrefix("Donnez "))
    }

    @Test(arguments: ["books_pkey", "authors_name_check", "books_nothing_check", ""])
    func `an unknown constraint has no problem`(name: String) {
        #expect(books.problem(forConstraint: name, given: given) == nil)
    }
}
