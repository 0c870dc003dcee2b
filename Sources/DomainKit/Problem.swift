public import JSON

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
        /// The text does not have the required format, or is not one of the allowed words.
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
    public let position: TextPosition?

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - path: a JSON Pointer into the parameters.
    ///   - code: the kind.
    ///   - message: a French sentence that says what to do.
    ///   - suggestion: the name that was probably meant.
    ///   - position: where in the text of a selection.
    public init(
        path: String, code: Code, message: String, suggestion: String? = nil, position: TextPosition? = nil
    ) {
        self.path = path
        self.code = code
        self.message = message
        self.suggestion = suggestion
        self.position = position
    }

    /// Creates the problem of a value that is not accepted. Errors of its parts have a problem each:
    /// ``ValueError/problems(at:)``.
    public init(_ error: ValueError, at path: String, suggestion: String? = nil) {
        self.init(path: path, code: error.code, message: error.message, suggestion: suggestion)
    }

    /// This problem of a value, as one of a call that has the value at `path`.
    func moved(below path: String) -> Problem {
        Problem(path: path + self.path, code: code, message: message, suggestion: suggestion, position: position)
    }
}
