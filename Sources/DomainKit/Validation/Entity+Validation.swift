public import JSON

/// What a write does with its values. It decides which columns must be given.
public enum WriteKind: Sendable {
    /// A new record: every required column must be given.
    case create
    /// A change of a record: any columns may be given.
    case update
    /// A new record with the values of another: any columns may be given.
    case duplicate
}

/// What is wrong with one field of the values of a write, unless it is the value itself.
enum FieldProblem {
    /// `create` needs a value for it.
    case missing(String)
    /// The database sets it.
    case readOnly(String)
    /// It is computed.
    case derived(String)
    /// There is no such column.
    case unknown(String, suggestion: String?)
    /// It refers to a record that does not exist.
    case noSuchRecord(String)
    /// Another record has the same value, and only one may.
    case taken(String)
    /// A rule that concerns it is violated.
    case rule(Rule)

    var code: Problem.Code {
        switch self {
        case .missing: .required
        case .readOnly, .derived: .readOnly
        case .unknown: .unknown
        case .noSuchRecord: .notFound
        case .taken: .duplicate
        case .rule: .rule
        }
    }

    func at(_ path: String) -> Problem {
        guard case .unknown(_, let suggestion) = self else { return Problem(path: path, code: code, message: message) }
        return Problem(path: path, code: code, message: message, suggestion: suggestion)
    }
}

extension Entity {
    /// Everything that is wrong with the values of a write, as far as it can be found without the database.
    ///
    /// ```swift
    /// books.problems(in: ["title": "", "pages": 3], for: .create)
    /// // /values/title required, /values/pages unknown
    /// ```
    /// - Parameters:
    ///   - values: the values by column.
    ///   - kind: what the write does.
    ///   - path: the JSON Pointer to `values` in the call's parameters.
    /// - Returns: the problems of the given members in their order, then the missing ones, then violated rules.
    public func problems(in values: JSONObject, for kind: WriteKind, at path: String = "/values") -> [Problem] {
        var problems: [Problem] = []
        var valid: [String: JSONValue] = [:]
        for member in values.members {
            let place = path.appendingPointer(member.name)
            guard let column = column(named: member.name), column.access == .readWrite else {
                // The search for the nearest name is costly: only the first hundred problems get a suggestion.
                let problem = problem(withUnwritable: member.name, suggesting: problems.count < 100)
                problems.append(problem.at(place))
                continue
            }
            do throws(ValueError) {
                try column.check(member.value)
                if !member.value.isNull { valid[member.name] = member.value }
            } catch {
                problems.append(Problem(error, at: place))
            }
        }
        if kind == .create {
            for column in columns where column.isRequired && values[column.name] == nil {
                problems.append(FieldProblem.missing(column.name).at(path.appendingPointer(column.name)))
            }
        }
        for rule in rules {
            guard let holds = rule.holds, rule.columns.allSatisfy({ valid[$0] != nil }), !holds(valid) else { continue }
            problems.append(violation(of: rule, given: values, at: path))
        }
        return problems
    }

    /// The problem that a violated constraint of the database stands for.
    ///
    /// It knows the constraints of ``rules``, and those of one column by their names: `<table>_<column>_check`, `_fkey`
    /// and `_key`. A unique constraint (`_key`) has the code `duplicate`; the server answers it with 409 and uses the
    /// message and the path only.
    ///
    /// - Parameters:
    ///   - name: the constraint's name, as Postgres reports it.
    ///   - values: the values of the write.
    ///   - path: the JSON Pointer to `values` in the call's parameters.
    /// - Returns: nil for a constraint that it does not know.
    public func problem(
        forConstraint name: String, given values: JSONObject, at path: String = "/values"
    ) -> Problem? {
        if let rule = rules.first(where: { $0.constraint == name }) {
            return violation(of: rule, given: values, at: path)
        }
        for column in columns {
            let place = values[column.name] == nil ? path : path.appendingPointer(column.name)
            switch name {
            case "\(self.name)_\(column.name)_check": return Problem(column.checkViolation, at: place)
            case "\(self.name)_\(column.name)_fkey": return FieldProblem.noSuchRecord(column.name).at(place)
            case "\(self.name)_\(column.name)_key": return FieldProblem.taken(column.name).at(place)
            default: continue
            }
        }
        return nil
    }

    /// A violated rule, at the last of its columns that was given.
    private func violation(of rule: Rule, given values: JSONObject, at path: String) -> Problem {
        let column = rule.columns.last { values[$0] != nil }
        return FieldProblem.rule(rule).at(column.map(path.appendingPointer) ?? path)
    }

    /// The problem with a member that no write accepts.
    private func problem(withUnwritable name: String, suggesting: Bool) -> FieldProblem {
        if column(named: name) != nil { return .readOnly(name) }
        if derivedField(named: name) != nil { return .derived(name) }
        if case .toOne(let column)? = relation(named: name)?.kind { return .unknown(name, suggestion: column) }
        return .unknown(name, suggestion: suggesting ? writableColumns.map(\.name).nearest(to: name) : nil)
    }
}

extension Column {
    /// Checks a value against the column's type, nullability, minimum and format.
    ///
    /// - Throws: the first reason why the value is not accepted.
    public func check(_ value: JSONValue) throws(ValueError) {
        guard !value.isNull else {
            guard isNullable else { throw .null }
            return
        }
        let text = try type.postgresText(of: value)
        if type.isText, !isNullable, text.isBlank { throw .blank }
        if let minimum, let decimal = DecimalText(text), !decimal.isAtLeast(minimum) { throw .belowMinimum(minimum) }
        if let format, !format.accepts(text) { throw .format(message: format.message) }
    }

    /// What the check constraint of this column refuses.
    fileprivate var checkViolation: ValueError {
        if let format { return .format(message: format.message) }
        if let minimum { return .belowMinimum(minimum) }
        return switch type {
        case .smallint(let range): .outOfRange(range)
        case .choice(let words): .notOneOf(words)
        case .text where !isNullable: .blank
        default: .refusedByConstraint(column: name)
        }
    }
}

extension String {
    /// Whether the text is empty or consists only of spaces, of any kind, and of control characters.
    ///
    /// The function `kernel.is_visible` of the migrations names the same characters.
    public var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x01...0x20, 0x7F...0xA0, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: true
            default: false
            }
        }
    }
}
