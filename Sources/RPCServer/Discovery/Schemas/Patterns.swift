/// Regular expressions of ECMA-262 for texts whose shape the server checks, in the subset that other engines share.
enum Patterns {
    /// A day of the Gregorian calendar that exists, years 0001 to 9999.
    static let date: String = {
        let long = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
        let short = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
        let february = "02-(?:0[1-9]|1[0-9]|2[0-8])"
        let leap = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
        return "(?!0000)(?:[0-9]{4}-(?:\(long)|\(short)|\(february))|\(leap)-02-29)"
    }()

    static let time = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?"

    /// RFC 3339 as Postgres takes it.
    static let timestamp =
        "\(date)[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,6})?"
        + "(?:[Zz]|[+-](?:0[0-9]|1[0-5]):[0-5][0-9])"

    static let uuid = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

    /// Any text that Postgres can store.
    static let text = "[^\\u0000]*"

    /// A text of which something can be seen.
    static let visibleText = "\(text)[^\\u0000\(spaces)]\(text)"

    /// A pattern of LIKE: no backslash at its end that would protect nothing.
    static let likePattern = "(?:[^\\u0000\\\\]|\\\\[^\\u0000])*"

    /// A selection set: what GraphQL ignores (blanks, line ends, commas, comments), then its opening brace.
    static let selection = "^(?:[\\t \\n\\r,\\ufeff]|#[^\\n\\r]*[\\n\\r])*\\{"

    static let base64URL = "[A-Za-z0-9_-]+"

    /// At most so many words, between white space as Unicode has it.
    static func words(atMost count: Int) -> String {
        "[\(whiteSpace)]*(?:[^\(whiteSpace)]+[\(whiteSpace)]+){0,\(count - 1)}[^\(whiteSpace)]*"
    }

    private static let whiteSpace =
        "\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000\\u2001\\u2002-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"

    static func whole(_ pattern: String) -> String { "^(?:\(pattern))$" }

    /// The characters of which nothing can be seen, as ``String/isBlank`` has them. The first two spaces of U+2000 are
    /// not bounds of a range: they are the same characters as the next two, which some engines then refuse.
    private static let spaces =
        "\\u0009-\\u000d\\u0020\\u00a0\\u2000\\u2001\\u2002-\\u200b\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
}
