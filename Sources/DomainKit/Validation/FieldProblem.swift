/// What is wrong with one field of the values of a write, unless it is the value itself.
enum FieldProblem {
    /// `create` needs a value for it.
    case missing(String)
    /// The database sets it.
    case readOnly(String)
    /// Only a new record takes a value for it.
    case createOnly(String)
    /// It is computed.
    case derived(String)
    /// There is no such column.
    case unknown(String, suggestion: String?)
    /// It refers to a record that does not exist.
    case noSuchRecord(String)
    /// It names a file that does not exist, or that the caller may not name.
    case noSuchFile(String)
    /// Another record has the same value, and only one may.
    case taken(String)
    /// Another element of the list has the same value.
    case repeated(String)
    /// Objects of other kinds have it, and this one is of the kind with this label.
    case ofAnotherKind(String, kind: String)
    /// A rule that concerns it is violated.
    case rule(Rule)

    var code: Problem.Code {
        switch self {
        case .missing: .required
        case .readOnly, .createOnly, .derived: .readOnly
        case .unknown: .unknown
        case .noSuchRecord, .noSuchFile: .notFound
        case .taken, .repeated: .duplicate
        case .rule, .ofAnotherKind: .rule
        }
    }

    func at(_ path: String) -> Problem {
        guard case .unknown(_, let suggestion) = self else { return Problem(path: path, code: code, message: message) }
        return Problem(path: path, code: code, message: message, suggestion: suggestion)
    }
}
