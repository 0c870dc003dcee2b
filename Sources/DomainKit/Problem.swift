/// One thing that is wrong with a call's params: an entry of `data.errors`.
public struct Problem: Sendable, Hashable {
    public enum Code: String, Sendable, CaseIterable {
        case required, unknown, type, format, duplicate, rule
        case readOnly = "read_only"
        case tooLong = "too_long"
        case outOfRange = "out_of_range"
        case tooManyDigits = "too_many_digits"
        case notFound = "not_found"
    }

    /// JSON Pointer into params, such as `/values/date`.
    public let path: String
    public let code: Code
    /// A French sentence that names the remedy.
    public let message: String
    /// The nearest known name.
    public let suggestion: String?
    /// Where in a selection's text, counted from 1.
    public let position: Position?

    public struct Position: Sendable, Hashable {
        public let line: Int
        public let column: Int

        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    public init(
        path: String, code: Code, message: String, suggestion: String? = nil, position: Position? = nil
    ) {
        self.path = path
        self.code = code
        self.message = message
        self.suggestion = suggestion
        self.position = position
    }
}

extension String {
    /// This path with `token` appended as a JSON Pointer token (`~` and `/` escaped). A name may be as long as a body:
    /// one that nobody would read to its end is cut.
    public func appendingPointer(_ token: String) -> String {
        let token = token.utf8.count <= 200 ? token : String(token.unicodeScalars.prefix(64)) + "…"
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return self + "/" + token
        }
        var escaped = ""
        for character in token.unicodeScalars {
            switch character {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return self + "/" + escaped
    }
}
