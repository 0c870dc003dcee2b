/// One reason why a call's parameters are refused: an entry of `data.errors` in the answer.
///
/// ```swift
/// Problem(path: "/values/title", code: .required, message: "Donnez une valeur à « title ».")
/// ```
public struct Problem: Sendable, Hashable {
    /// The kind of the problem, for programs.
    public enum Code: String, Sendable, CaseIterable {
        /// A value is missing, null or blank where there must be one.
        case required
        /// There is no field or parameter of this name.
        case unknown
        /// The value has another JSON type.
        case type
        /// The text does not have the format that is asked for, or is none of the words.
        case format
        /// A name is given twice, or a value is already taken by another record.
        case duplicate
        /// A rule between columns or records is violated.
        case rule
        /// The server sets this field; a call cannot.
        case readOnly = "read_only"
        /// The text has too many code points.
        case tooLong = "too_long"
        /// The number is below the minimum or outside of the range.
        case outOfRange = "out_of_range"
        /// The number has more digits than the column, before or after the point.
        case tooManyDigits = "too_many_digits"
        /// There is no record with the given identifier.
        case notFound = "not_found"
    }

    /// Where: a JSON Pointer (RFC 6901) into the parameters, such as `/values/date`. Empty: the parameters as a whole.
    public let path: String
    /// The kind of the problem.
    public let code: Code
    /// A French sentence that says what to do.
    public let message: String
    /// The name that was probably meant.
    public let suggestion: String?
    /// Where in the text of a selection; nil for everything else.
    public let position: Position?

    /// A place in the text of a selection.
    public struct Position: Sendable, Hashable {
        /// The line, from 1.
        public let line: Int
        /// The column, from 1, in Unicode scalars.
        public let column: Int

        /// Creates a place from its line and column, both from 1.
        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - path: a JSON Pointer into the parameters.
    ///   - code: the kind.
    ///   - message: a French sentence that says what to do.
    ///   - suggestion: the name that was probably meant.
    ///   - position: where in the text of a selection.
    public init(
        path: String, code: Code, message: String, suggestion: String? = nil, position: Position? = nil
    ) {
        self.path = path
        self.code = code
        self.message = message
        self.suggestion = suggestion
        self.position = position
    }

    /// Creates the problem of a value that is not accepted.
    public init(_ error: ValueError, at path: String, suggestion: String? = nil) {
        self.init(path: path, code: error.code, message: error.message, suggestion: suggestion)
    }
}

extension String {
    /// This JSON Pointer (RFC 6901) with `token` appended, its `~` and `/` escaped.
    ///
    /// A token longer than 200 bytes is cut to 64 characters, because a call may contain names of any length, and problems
    /// repeat them.
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
