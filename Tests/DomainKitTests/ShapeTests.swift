import DomainKit
import JSON
import Testing

/// The contents of a box, with a member of every kind.
private let contents = Column(
    "contents",
    .json(
        .list(
            of: .object([
                Column("sku", .text(maxLength: 4), nullable: false, summary: ""),
                Column("quantity", .integer, nullable: false, default: 1, minimum: 1, maximum: 99, summary: ""),
                Column("sign", .integer, oneOf: [-1, 1], summary: ""),
                Column("weight", .decimal(precision: 4, scale: 2), minimum: 0, summary: ""),
                Column("at", .time, summary: ""),
                Column("kind", .choice(["a", "b"]), summary: ""),
                Column("tags", .json(.list(of: .text(maxLength: 3), count: 1...2)), summary: ""),
                Column("size", .json(.object([Column("x/y", .boolean, nullable: false, summary: "")])), summary: ""),
            ]), count: 1...3)),
    nullable: false, summary: "")

/// Blocks of two kinds, none of them twice.
private let blocks = Column(
    "blocks",
    .json(
        .list(
            of: .kinds(
                ObjectKinds(
                    by: "kind", label: "Nature", common: [Column("id", .uuid, nullable: false, label: "Identifiant")],
                    [
                        .init(
                            "text", label: "Texte",
                            [Column("text", .text(maxLength: 5), nullable: false, label: "Texte")]),
                        .init(
                            "photo", label: "Photo",
                            [
                                Column("photo", .bigint, nullable: false, label: "Photo"),
                                Column("text", .text(maxLength: 3), label: "Légende"),
                            ]),
                    ])), count: 0...9, unique: ["id", "photo"])), label: "Contenu")

private let (one, two) = ("00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b")

private let settings = Column("settings", .json(nil), summary: "")
private let details = Column("details", .json(.anyObject), summary: "")

@Suite struct ShapeTests {
    @Test(arguments: [
        (contents, #"[{"sku":"A"}]"#, #"[{"sku":"A","quantity":1}]"#),
        (contents, #"[{"quantity":null,"sku":"A"}]"#, #"[{"sku":"A","quantity":1}]"#),
        (
            contents, #"[{"sign":-1,"sku":"é\"\\"},{"sku":"B"}]"#,
            #"[{"sku":"é\"\\","quantity":1,"sign":-1},{"sku":"B","quantity":1}]"#
        ),
        (contents, #"[{"sku":"A","quantity":2e1,"sign":1.0}]"#, #"[{"sku":"A","quantity":20,"sign":1}]"#),
        (
            contents, #"[{"sku":"A","weight":1.50,"at":"09:00"}]"#,
            #"[{"sku":"A","quantity":1,"weight":1.5,"at":"09:00:00"}]"#
        ),
        (
            contents, #"[{"sku":"A","weight":null,"tags":["x"],"size":{"x/y":true}}]"#,
            #"[{"sku":"A","quantity":1,"weight":null,"tags":["x"],"size":{"x/y":true}}]"#
        ),
        (
            blocks, #"[{"kind":"text","id":"\#(one.uppercased())","text":"abcde"}]"#,
            #"[{"kind":"text","id":"\#(one)","text":"abcde","photo":null}]"#
        ),
        // What was answered is accepted again.
        (
            blocks,
            #"[{"id":"\#(one)","kind":"photo","photo":7},{"kind":"text","id":"\#(two)","text":"a","photo":null}]"#,
            #"[{"kind":"photo","id":"\#(one)","text":null,"photo":7},{"kind":"text","id":"\#(two)","text":"a","photo":null}]"#
        ),
        (settings, #"{"b":[1.50,1e300,null,"x"],"a":{}}"#, #"{"b":[1.50,1e300,null,"x"],"a":{}}"#),
        (settings, "5", "5"), (settings, #""x""#, #""x""#), (settings, "[]", "[]"), (settings, "false", "false"),
        (details, #"{"a":[{"b":null}]}"#, #"{"a":[{"b":null}]}"#),
    ])
    func `JSON is stored in one way, with the defaults of missing members`(
        column: Column, given: String, stored: String
    )
        throws
    {
        let value = try JSONReader.read(given).value
        #expect(column.problems(with: value) == [])
        #expect(try column.type.postgresText(of: value) == stored)
    }

    @Test(arguments: [
        (contents, "null", [" required"]),
        (contents, "{}", [" type"]),
        (contents, #""[]""#, [" type"]),
        (contents, "[]", [" out_of_range"]),
        (contents, "[1,2,3,4]", [" too_long"]),
        (contents, #"[null,[],{}]"#, ["/0 type", "/1 type", "/2/sku required"]),
        (contents, #"[{"sku":null}]"#, ["/0/sku required"]),
        (contents, #"[{"sku":" "},{"sku":"ABCDE"},{"sku":1}]"#, ["/0/sku required", "/1/sku too_long", "/2/sku type"]),
        (contents, #"[{"sku":"A\u0000"}]"#, ["/0/sku format"]),
        (
            contents, #"[{"skuu":"A","quantity":0,"sign":0,"weight":-0.01,"at":"25:00","kind":"c"}]"#,
            [
                "/0/skuu unknown", "/0/quantity out_of_range", "/0/sign out_of_range", "/0/weight out_of_range",
                "/0/at format", "/0/kind format", "/0/sku required",
            ]
        ),
        (
            contents, #"[{"sku":"A","quantity":100},{"sku":"A","quantity":1.5}]"#,
            ["/0/quantity out_of_range", "/1/quantity type"]
        ),
        (
            contents, #"[{"sku":"A","weight":100},{"sku":"A","weight":1.001}]"#,
            ["/0/weight too_many_digits", "/1/weight too_many_digits"]
        ),
        (
            contents, #"[{"sku":"A","tags":["abcd",null,1]},{"sku":"B","tags":[]}]"#,
            ["/0/tags too_long", "/1/tags out_of_range"]
        ),
        (contents, #"[{"sku":"A","tags":["abcd",1]}]"#, ["/0/tags/0 too_long", "/0/tags/1 type"]),
        (
            contents, #"[{"sku":"A","size":{}},{"sku":"B","size":{"x/y":1,"a~b":2}}]"#,
            ["/0/size/x~1y required", "/1/size/x~1y type", "/1/size/a~0b unknown"]
        ),
        (
            blocks, #"[{},{"kind":"song","id":1,"text":"abcdef"},{"kind":"photo","text":"abcd"}]"#,
            [
                "/0/kind required", "/0/id required", "/1/kind format", "/1/id type", "/2/text too_long",
                "/2/id required",
                "/2/photo required",
            ]
        ),
        (
            blocks,
            #"[{"kind":"text","id":"\#(one)","text":"a","photo":7},{"kind":"text","id":"\#(two)","photo":7,"x":1}]"#,
            ["/0/photo rule", "/1/x unknown", "/1/text required", "/1/photo rule"]
        ),
        (
            blocks,
            #"[{"kind":"photo","id":"\#(one)","photo":7},{"kind":"text","id":"\#(two)","text":"a"},{"kind":"photo","id":"\#(two.uppercased())","photo":7}]"#,
            ["/2/id duplicate", "/2/photo duplicate"]
        ),
        (settings, #"{"a":[1,"\u0000"]}"#, ["/a/1 format"]),
        (settings, #"{"a":{"\u0000":1}}"#, ["/a format"]),
        (settings, #"[1e401]"#, ["/0 too_many_digits"]),
        (settings, "1e-401", [" too_many_digits"]),
        (settings, #""\u0000""#, [" format"]),
        (details, "[]", [" type"]),
        (details, #"{"a":1e100000}"#, ["/a too_many_digits"]),
    ])
    func `every problem has the place of its part`(column: Column, given: String, problems: [String]) throws {
        let value = try JSONReader.read(given).value
        let found = column.problems(with: value)
        #expect(found.map { "\($0.path) \($0.code.rawValue)" } == problems)
        #expect(found.allSatisfy { $0.message.hasSuffix(".") })
        // The same, below the path of the values of a write.
        let boxes = ColumnSet([column])
        let values = JSONObject([JSONObject.Member(column.name, value)])
        #expect(
            boxes.problems(in: values, for: .update, at: "/values").map(\.path)
                == found.map { "/values/\(column.name)\($0.path)" })
    }

    @Test func `an unknown member suggests the nearest one`() throws {
        let value = try JSONReader.read(#"[{"skuu":"A","sku":"A"}]"#).value
        #expect(contents.problems(with: value).map(\.suggestion) == ["sku"])
    }

    @Test func `of many problems a hundred are reported`() throws {
        let shape = Shape.list(of: .boolean, count: 0...1_000)
        let column = Column("flags", .json(shape), summary: "")
        #expect(column.problems(with: .array(Array(repeating: 1, count: 1_000))).count == 100)
        let wrong = (0..<1_000).map { JSONObject.Member("x\($0)", 1) }
        let object = Column("one", .json(.object([])), summary: "")
        #expect(object.problems(with: .object(JSONObject(wrong))).count == 100)
    }

    @Test func `JSON is null as other columns are`() {
        #expect(settings.problems(with: .null) == [])
        #expect(contents.problems(with: .null).map(\.code) == [.required])
    }
}

@Suite struct BoundTests {
    @Test(arguments: [
        ("9", true), ("9.0", true), ("8.9", true), ("9.1", false), ("10", false), ("-100", true), ("-0.5", true),
        ("1e2", false), ("0", true),
    ])
    func `a maximum is exact`(digits: String, isAccepted: Bool) {
        let column = Column("rating", .decimal(precision: 4, scale: 1), maximum: 9, summary: "")
        #expect(column.problems(with: .number(digits)).isEmpty == isAccepted)
    }

    @Test(arguments: [
        (Column("x", .decimal(precision: 4, scale: 1), maximum: -1, summary: ""), "-0.5", false),
        (Column("x", .decimal(precision: 4, scale: 1), maximum: -1, summary: ""), "-1.5", true),
        (Column("x", .integer, minimum: 2, maximum: 4, summary: ""), "1", false),
        (Column("x", .integer, minimum: 2, maximum: 4, summary: ""), "4", true),
        (Column("x", .integer, minimum: 2, maximum: 4, summary: ""), "5", false),
        (Column("x", .smallint(0...9), oneOf: [1, 3], summary: ""), "2", false),
        (Column("x", .smallint(0...9), oneOf: [1, 3], summary: ""), "3", true),
    ])
    func `bounds hold at both ends`(column: Column, digits: String, isAccepted: Bool) {
        #expect(column.problems(with: .number(digits)).isEmpty == isAccepted)
    }

    @Test func `the message names what is allowed`() {
        let between = Column("x", .integer, minimum: 2, maximum: 4, summary: "")
        #expect(between.problems(with: 5).first?.message == "Donnez un nombre entier compris entre 2 et 4.")
        let signs = Column("x", .integer, oneOf: [-1, 1], summary: "")
        #expect(signs.problems(with: 0).first?.message == "Donnez -1 ou 1.")
    }

    @Test func `a number that the type itself has no room for has the bounds of the column in its message, too`() {
        func message(_ column: Column, _ digits: String) -> String? {
            column.problems(with: .number(digits)).first?.message
        }
        for digits in ["1e19", "-1e19", "9223372036854775808"] {
            #expect(
                message(Column("x", .bigint, minimum: 0, summary: ""), digits)
                    == "Donnez un nombre entier compris entre 0 et 9223372036854775807.")
        }
        #expect(
            message(Column("x", .integer, minimum: 1, summary: ""), "3000000000")
                == "Donnez un nombre entier compris entre 1 et 2147483647.")
        #expect(
            message(Column("x", .integer, maximum: 9, summary: ""), "-3000000000")
                == "Donnez un nombre entier compris entre -2147483648 et 9.")
        #expect(message(Column("x", .integer, oneOf: [-1, 1], summary: ""), "3000000000") == "Donnez -1 ou 1.")
        #expect(throws: ValueError.outOfRange(1...Int.max)) { try RecordID.text(of: .number("1e19")) }
        #expect(throws: ValueError.notAnIdentifier) { try RecordID.text(of: 0) }
    }

    @Test func `a choice has words that no call may give, and no message names them`() {
        let origin = Column(
            "x", .choice(["bought", "given", "found"]), accepts: ["bought", "given"], summary: "")
        #expect(origin.problems(with: "given") == [])
        for word in ["found", "lost"] as [JSONValue] {
            let problem = origin.problems(with: word).first
            #expect(problem?.code == .format)
            #expect(problem?.message == "Donnez «\u{A0}bought\u{A0}» ou «\u{A0}given\u{A0}».")
        }
    }
}

extension Column {
    fileprivate func problems(with value: JSONValue) -> [Problem] {
        do throws(ValueError) {
            try check(value)
            return []
        } catch {
            return error.problems(at: "")
        }
    }
}
