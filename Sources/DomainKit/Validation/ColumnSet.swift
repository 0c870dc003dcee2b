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

/// How a call that a constraint of the database has refused is answered.
public enum Refusal: Sendable, Equatable {
    /// With −32602.
    case invalid(Problem)
    /// With 409, this `reason` and these further members of `data`.
    case conflict(reason: String, message: String, facts: JSONObject)
    /// With 403, and these further members of `data`.
    case forbidden(message: String, facts: JSONObject)
}

/// Columns and the rules between them: those of a table, or the parameters of a method.
///
/// ```swift
/// let period = ColumnSet(
///     [Column("from", .date, nullable: false, summary: "Du."), Column("to", .date, nullable: false, summary: "Au.")],
///     rules: [toAfterFrom])
/// period.problems(in: ["from": "2026-01-12", "to": "2026-02-30"], for: .create, at: "")
/// // /to format
/// ```
public struct ColumnSet: Sendable {
    /// The columns. Their names differ.
    public let columns: [Column]
    /// The rules that concern more than one of them, or other records.
    public let rules: [Rule]
    /// The name of the table that constraints of one column begin with; nil: there are none.
    public let table: String?
    private let columnsByName: [String: Column]

    /// Creates a set. The process stops if two columns have the same name.
    public init(_ columns: [Column], rules: [Rule] = [], table: String? = nil) {
        self.columns = columns
        self.rules = rules
        self.table = table
        columnsByName = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
    }

    /// The column of this name; nil if there is none.
    public func column(named name: String) -> Column? { columnsByName[name] }

    // MARK: Values

    /// Everything that is wrong with values, as far as it can be found without the database.
    ///
    /// - Parameters:
    ///   - values: the values by column.
    ///   - kind: what the values are for. Parameters are checked as for a new record.
    ///   - path: the JSON Pointer to `values` in the call's parameters.
    /// - Returns: the problems of the given members in their order, then the missing ones, then violated rules; if there is one, then
    ///   those of values that the server does not know (``Format/isKnown``).
    public func problems(in values: JSONObject, for kind: WriteKind, at path: String) -> [Problem] {
        problems(in: values, for: kind, at: path) { _ in nil }
    }

    /// - Parameter unknown: a better problem for a name that is no column.
    func problems(
        in values: JSONObject, for kind: WriteKind, at path: String, unknown: (String) -> FieldProblem?
    ) -> [Problem] {
        var problems: [Problem] = []
        var valid: [String: JSONValue] = [:]
        for member in values.members {
            let place = path.appendingPointer(member.name)
            guard let column = column(named: member.name), column.isWritable(for: kind) else {
                // The search for the nearest name is costly: only the first hundred problems get a suggestion.
                let problem =
                    unwritable(member.name)
                    ?? unknown(member.name)
                    ?? .unknown(member.name, suggestion: problems.count < 100 ? nearest(member.name, kind) : nil)
                problems.append(problem.at(place))
                continue
            }
            do throws(ValueError) {
                try column.check(member.value)
                if !member.value.isNull { valid[member.name] = member.value }
            } catch {
                problems += error.problems(at: place)
            }
        }
        if kind == .create {
            for column in columns where column.isRequired && values[column.name] == nil {
                problems.append(FieldProblem.missing(column.name).at(path.appendingPointer(column.name)))
            }
        }
        problems += violations(by: valid, given: values, at: path)
        return problems.isEmpty ? [] : problems + unconfirmed(among: valid, at: path)
    }

    /// The valid values that only the database may know.
    private func unconfirmed(among valid: [String: JSONValue], at path: String) -> [Problem] {
        columns.compactMap { column in
            guard let format = column.format, let text = valid[column.name]?.text, !format.isKnown(text) else {
                return nil
            }
            return Problem(ValueError.format(message: format.message), at: path.appendingPointer(column.name))
        }
    }

    /// The rules that valid values violate, as far as the server can check them.
    ///
    /// - Parameters:
    ///   - valid: the values by column, those that are missing, null or wrong left out.
    ///   - values: what the call gave. A violation is reported on the last of the rule's columns among it.
    ///   - path: the JSON Pointer to `values` in the call's parameters.
    public func violations(by valid: [String: JSONValue], given values: JSONObject, at path: String) -> [Problem] {
        rules.compactMap { rule in
            guard rule.effect == .invalid, let holds = rule.holds, rule.columns.allSatisfy({ valid[$0] != nil }),
                !holds(valid)
            else { return nil }
            return violation(of: rule, given: values, at: path)
        }
    }

    private func unwritable(_ name: String) -> FieldProblem? {
        column(named: name).map { $0.access == .createOnly ? .createOnly(name) : .readOnly(name) }
    }

    private func nearest(_ name: String, _ kind: WriteKind) -> String? {
        columns.lazy.filter { $0.isWritable(for: kind) }.map(\.name).nearest(to: name)
    }

    /// A violated rule, at the last of its columns that was given.
    private func violation(of rule: Rule, given values: JSONObject, at path: String) -> Problem {
        let column = rule.columns.last { values[$0] != nil }
        return FieldProblem.rule(rule).at(column.map(path.appendingPointer) ?? path)
    }

    // MARK: Constraints

    /// The problem that a violated constraint of the database stands for, whichever effect its rule has.
    ///
    /// It knows the constraints of ``rules`` and, if there is a ``table``, those of one column by their names:
    /// `<table>_<column>_check`, `_fkey` and `_key`.
    ///
    /// - Parameters:
    ///   - name: the constraint's name, as Postgres reports it.
    ///   - values: the values of the call.
    ///   - path: the JSON Pointer to `values` in the call's parameters.
    /// - Returns: nil for a constraint that it does not know.
    public func problem(forConstraint name: String, given values: JSONObject, at path: String) -> Problem? {
        if let rule = rules.first(where: { $0.constraint == name }) {
            return violation(of: rule, given: values, at: path)
        }
        guard let table else { return nil }
        for column in columns {
            let place = values[column.name] == nil ? path : path.appendingPointer(column.name)
            switch name {
            case "\(table)_\(column.name)_check": return Problem(column.checkViolation, at: place)
            case "\(table)_\(column.name)_fkey":
                return (column.file == nil ? FieldProblem.noSuchRecord : FieldProblem.noSuchFile)(column.name).at(place)
            case "\(table)_\(column.name)_key": return FieldProblem.taken(column.name).at(place)
            default: continue
            }
        }
        return nil
    }

    /// How a call that violates a constraint of the database is answered, according to the effect of its rule.
    ///
    /// - Parameters:
    ///   - name: the constraint's name, as Postgres reports it.
    ///   - facts: the object that a function gave `kernel.refuse`.
    ///   - place: the JSON Pointer that it gave: to a column, or into the value of one, such as `/lines/3`. Other
    ///     places are ignored.
    ///   - values: the values of the call.
    ///   - path: the JSON Pointer to `values` in the call's parameters; `place` may begin with it.
    /// - Returns: nil for a constraint that it does not know.
    public func refusal(
        forConstraint name: String, facts: JSONObject, place: String?, given values: JSONObject, at path: String
    ) -> Refusal? {
        guard let rule = rules.first(where: { $0.constraint == name }) else {
            if let place, let problem = problem(forConstraint: name, within: place, at: path) {
                return .invalid(problem)
            }
            return problem(forConstraint: name, given: values, at: path).map(Refusal.invalid)
        }
        switch rule.effect {
        case .conflict(let reason, _): return .conflict(reason: reason, message: rule.message, facts: facts)
        case .forbidden: return .forbidden(message: rule.message, facts: facts)
        case .invalid:
            guard let place, let pointer = pointer(to: place, at: path) else {
                return .invalid(violation(of: rule, given: values, at: path))
            }
            return .invalid(FieldProblem.rule(rule).at(pointer))
        }
    }

    /// The problem of a member of an object in a column, for which `kernel.file_list_keep` refuses by the name that a constraint of
    /// the column has.
    private func problem(forConstraint name: String, within place: String, at path: String) -> Problem? {
        let parts = place.split(separator: "/").map(String.init)
        guard let table, let first = parts.first, let last = parts.last, let column = column(named: first),
            let pointer = pointer(to: place, at: path)
        else { return nil }
        // The elements of a list of ids have no names of their own.
        guard let member = column.objectMember(last) ?? column.objectMember("") else { return nil }
        return switch name {
        case "\(table)_\(column.name)_check": Problem(member.checkViolation, at: pointer)
        case "\(table)_\(column.name)_fkey":
            FieldProblem.noSuchFile(member.name.isEmpty ? column.name : member.name).at(pointer)
        default: nil
        }
    }

    /// The JSON Pointer into the call's parameters that a function means by `place`; nil if it names no column.
    private func pointer(to place: String, at path: String) -> String? {
        func namesColumn(_ pointer: Substring) -> Bool {
            pointer.hasPrefix("/") && column(named: String(pointer.dropFirst().prefix { $0 != "/" })) != nil
        }
        if namesColumn(place[...]) { return path + place }
        return place.hasPrefix(path) && namesColumn(place.dropFirst(path.count)) ? place : nil
    }
}
