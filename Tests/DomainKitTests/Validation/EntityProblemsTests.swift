import DomainKit
import Testing

@Suite struct `Values given for a record are judged all at once` {
    @Test func `Good values have no problem`() {
        let values: Object = object(["title": "Germinal", "price": .number("7.90"), "isbn": nil, "kind": "novel"])
        #expect(Sample.books.problems(in: values, for: .create) == [])
    }

    @Test func `All problems are told, with path and code`() {
        let values = object([
            "title": "Les Misérables", "isbn": "1", "price": .number("-0.01"), "kind": "poem", "shelf": 12,
            "lent": "2026-02-30", "id": 3, "age": 4, "author": 5, "titel": "x",
        ])
        let problems = Sample.books.problems(in: values, for: .create)
        #expect(
            problems.map { "\($0.path) \($0.code.rawValue)" } == [
                "/values/title too_long", "/values/isbn format", "/values/price out_of_range", "/values/kind format",
                "/values/shelf out_of_range", "/values/lent format", "/values/id read_only", "/values/age read_only",
                "/values/author unknown", "/values/titel unknown",
            ])
        #expect(problems.suffix(2).map(\.suggestion) == ["author_id", "title"])
        #expect(problems.allSatisfy { $0.message.hasSuffix(".") })
    }

    @Test func `What is required must be there to create, and may not be emptied later`() {
        #expect(codes([:], .create) == ["/values/title required"])
        #expect(codes([:], .update) == [])
        #expect(codes([:], .duplicate) == [])
        for kind in [WriteKind.create, .update, .duplicate] {
            #expect(codes(["title": nil], kind) == ["/values/title required"])
            #expect(codes(["title": ""], kind) == ["/values/title required"])
            #expect(codes(["title": "\t \u{A0}\u{202F}\n"], kind) == ["/values/title required"])
        }
        #expect(codes(["title": "t", "kind": nil], .create) == ["/values/kind required"])
    }

    @Test func `An empty text does not have a shape`() {
        #expect(codes(["isbn": ""], .update) == ["/values/isbn format"])
    }

    @Test func `A rule reports on the later of the columns given, in the rule's order`() {
        let both = ["/values/returned rule"]
        #expect(codes(["lent": "2026-01-02", "returned": "2026-01-01"], .update) == both)
        #expect(codes(["returned": "2026-01-01", "lent": "2026-01-02"], .update) == both)
    }

    @Test func `A rule is not asked about what is missing, null or wrong`() {
        #expect(codes(["lent": "2026-01-02"], .update) == [])
        #expect(codes(["lent": "2026-01-02", "returned": nil], .update) == [])
        #expect(codes(["lent": "2026-01-02", "returned": "x"], .update) == ["/values/returned format"])
    }

    @Test func `Paths are JSON Pointers under the path asked for`() {
        let problems = Sample.books.problems(in: object(["a/b~c": 1]), for: .update, at: "/x")
        #expect(problems.map(\.path) == ["/x/a~1b~0c"])
    }

    @Test(arguments: [
        ("-5", true), ("-5.0", true), ("-4.9", true), ("-5.1", false), ("-6", false), ("-100", false), ("0", true),
        ("0.1", true), ("-0.1", true), ("99", true),
    ])
    func `A minimum is exact`(digits: String, isTaken: Bool) {
        #expect(codes(["rating": .number(digits)], .update).isEmpty == isTaken)
    }

    @Test func `A flood of unknown names is told whole, with few hints and no echo of long ones`() {
        let flood = Object((0..<5000).map { Object.Member("titel\($0 % 10)\($0)", nil) })
        let problems = Sample.books.problems(in: flood, for: .update)
        #expect(problems.count == 5000)
        #expect(problems.filter { $0.suggestion != nil }.count <= 100)
        let long = String(repeating: "x", count: 100_000)
        let problem = Sample.books.problems(in: Object([Object.Member(long, 1)]), for: .update).first
        #expect(problem?.path == "/values/\(long.prefix(64))…")
        #expect((problem?.message.count ?? .max) < 200)
    }

    private func codes(_ values: KeyValuePairs<String, Value>, _ kind: WriteKind) -> [String] {
        Sample.books.problems(in: object(values), for: kind).map { "\($0.path) \($0.code.rawValue)" }
    }

    private func object(_ values: KeyValuePairs<String, Value>) -> Object {
        Object(values.map { Object.Member($0.key, $0.value) })
    }
}

@Suite struct `A constraint of the database that refused is told like any problem` {
    let given = Object([Object.Member("lent", "2026-01-02"), Object.Member("isbn", "1"), Object.Member("title", "")])

    @Test(arguments: [
        ("books_isbn_check", "/values/isbn", Problem.Code.format),
        ("books_returned_later", "/values/lent", .rule),
        ("books_title_check", "/values/title", .required),
        ("books_price_check", "/values", .outOfRange),
        ("books_shelf_check", "/values", .outOfRange),
        ("books_kind_check", "/values", .format),
        ("books_author_id_fkey", "/values", .notFound),
        ("books_isbn_key", "/values/isbn", .duplicate),
    ])
    func `Known names give path and code`(name: String, path: String, code: Problem.Code) throws {
        let problem = try #require(Sample.books.problem(forConstraint: name, given: given))
        #expect(problem.path == path)
        #expect(problem.code == code)
        #expect(problem.message.hasPrefix("Donnez") || problem.message == "Rendez-le plus tard.")
    }

    @Test(arguments: ["books_pkey", "authors_name_check", "books_nothing_check", ""])
    func `Others give nil`(name: String) {
        #expect(Sample.books.problem(forConstraint: name, given: given) == nil)
    }
}
