import DomainKit
import JSON
import Testing

/// From a JSON value to the text that Postgres reads as exactly this value.
@Suite struct PostgresTextTests {
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("-0.00e5", "0"), ("0e99999999999999999999999", "0"), ("12.500", "12.5"),
        ("1e2", "100"), ("1E+2", "100"), ("120050e-2", "1200.5"), ("0.1e-1", "0.01"), ("-1.50", "-1.5"),
        ("99999999.99", "99999999.99"), ("0.000000000001e12", "1"),
    ])
    func `decimals keep every digit`(digits: String, text: String) throws {
        #expect(try FieldType.decimal(precision: 10, scale: 2).postgresText(of: .number(digits)) == text)
    }

    @Test(arguments: [
        "12.345", "100000000", "1e8", "1e400", "1e-400", "1e99999999999999999999999", "1e-99999999999999999999999",
        "0.001", "123456789.01",
    ])
    func `a decimal with more digits than the column is refused, not rounded`(digits: String) {
        #expect(code(.decimal(precision: 10, scale: 2), .number(digits)) == .tooManyDigits)
    }

    @Test func `a number of a million digits is refused`() {
        let long = "1" + String(repeating: "0", count: 1_000_000)
        #expect(code(.decimal(precision: 10, scale: 2), .number(long)) == .tooManyDigits)
        #expect(code(.bigint, .number(long)) == .outOfRange)
    }

    @Test(arguments: [
        (FieldType.bigint, "9223372036854775807", "9223372036854775807"),
        (.bigint, "-9223372036854775808", "-9223372036854775808"), (.bigint, "-0", "0"),
        (.integer, "2147483647", "2147483647"), (.smallint(0...1), "1", "1"),
    ])
    func `whole numbers within the range are accepted`(type: FieldType, digits: String, text: String) throws {
        #expect(try type.postgresText(of: .number(digits)) == text)
    }

    @Test(arguments: [
        (FieldType.bigint, "9223372036854775808"), (.bigint, "1e19"), (.bigint, "1e400"),
        (.bigint, "-9223372036854775809"), (.integer, "2147483648"),
        (.integer, "-2147483649"), (.smallint(0...1), "2"), (.smallint(0...1), "-1"),
    ])
    func `whole numbers outside of the range are refused`(type: FieldType, digits: String) {
        #expect(code(type, .number(digits)) == .outOfRange)
    }

    @Test(arguments: [
        ("1.0", "1"), ("1e0", "1"), ("-1.50e2", "-150"), ("9223372036854775807.00", "9223372036854775807"),
    ])
    func `a number without a fraction is whole however it is written`(digits: String, text: String) throws {
        #expect(try FieldType.bigint.postgresText(of: .number(digits)) == text)
    }

    @Test(arguments: ["0.5", "1e-1", "9223372036854775806.5"])
    func `a number with a fraction is not whole`(digits: String) {
        #expect(code(.bigint, .number(digits)) == .type)
    }

    @Test func `a value of another JSON type is refused, not converted`() {
        let texts: [FieldType] = [
            .text(maxLength: nil), .choice(["a"]), .date, .time, .timestamp, .uuid,
        ]
        for type in texts {
            for value: JSONValue in [1, true, [], [:]] { #expect(code(type, value) == .type, "\(type) \(value)") }
        }
        for type: FieldType in [.bigint, .integer, .smallint(0...9), .decimal(precision: 3, scale: 1), .boolean] {
            for value: JSONValue in ["1", "true", [], [:]] { #expect(code(type, value) == .type, "\(type) \(value)") }
        }
        #expect(code(.boolean, 1) == .type)
        #expect(code(.bigint, true) == .type)
    }

    @Test func `the length of a text is its number of code points`() throws {
        let type = FieldType.text(maxLength: 4)
        #expect(try type.postgresText(of: "🚀🚀🚀🚀") == "🚀🚀🚀🚀")
        #expect(code(type, "ééééé") == .tooLong)
        // One character for a reader, five code points for Postgres.
        #expect(code(type, "👨‍👩‍👧") == .tooLong)
        #expect(code(type, "e\u{301}e\u{301}e") == .tooLong)
    }

    @Test func `U+0000 is the only character that a text may not contain`() throws {
        #expect(code(.text(maxLength: nil), "a\u{0}b") == .format)
        #expect(try FieldType.text(maxLength: nil).postgresText(of: "a\u{1}\u{7F}\u{FFFF}") == "a\u{1}\u{7F}\u{FFFF}")
    }

    @Test func `a choice is compared byte for byte`() throws {
        let type = FieldType.choice(["é", "P"])
        #expect(try type.postgresText(of: "é") == "é")
        #expect(code(type, "e\u{301}") == .format)
        #expect(code(type, "p") == .format)
        #expect(code(type, "") == .format)
    }

    @Test(arguments: [
        "2026-11-21T01:28:59Z", "2026-11-21t01:28:59z", "2026-11-21T01:28:59.28+00:00",
        "2026-11-21T01:28:59.123456-05:30", "2026-11-21T00:00:00+14:00", "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59-00:00",
    ])
    func `an instant with an offset is accepted as it is written`(text: String) throws {
        #expect(try FieldType.timestamp.postgresText(of: .string(text)) == text)
    }

    @Test(arguments: [
        "2026-11-21T01:28:59", "2026-11-21", "2026-11-21 01:28:59Z", "2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T01:60:00Z", "2026-11-21T01:28:60Z", "2026-11-21T01:28Z", "2026-11-21T01:28:59.Z",
        "2026-11-21T01:28:59.1234567Z", "2026-11-21T01:28:59+0100", "2026-11-21T01:28:59+01",
        "2026-11-21T01:28:59+16:00", "2026-11-21T01:28:59+01:60", "2026-11-21T01:28:59ZZ", "now", "infinity", "",
    ])
    func `a text that is not an instant with an offset is refused`(text: String) {
        #expect(code(.timestamp, .string(text)) == .format)
    }

    @Test func `times and UUIDs have one spelling`() throws {
        #expect(try FieldType.time.postgresText(of: "09:00") == "09:00:00")
        #expect(try FieldType.time.postgresText(of: "23:59:59") == "23:59:59")
        #expect(
            try FieldType.uuid.postgresText(of: "3F2B6C1E-8A4D-4C57-9B1E-2D7F0A6C5E48")
                == "3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48")
        #expect(try FieldType.boolean.postgresText(of: false) == "false")
    }

    private func code(_ type: FieldType, _ value: JSONValue) -> Problem.Code? {
        do throws(ValueError) {
            _ = try type.postgresText(of: value)
            return nil
        } catch {
            return error.code
        }
    }
}
