/// What the values are for.
public enum WriteKind: Sendable {
    case create, update, duplicate
}

extension Entity {
    /// Everything about `values` that shows without asking the database, in the order written, missing ones last.
    ///
    /// - Parameter path: the JSON Pointer of `values` in the call's params.
    public func problems(in values: Object, for kind: WriteKind, at path: String = "/values") -> [Problem] {
        var problems: [Problem] = []
        var valid: [String: Value] = [:]
        for member in values.members {
            let place = path.appendingPointer(member.name)
            guard let column = column(named: member.name), column.access == .readWrite else {
                // Looking for the nearest name costs; whoever sends a thousand wrong ones gets no thousand hints.
                let hasHint = problems.count < 100
                problems.append(refusal(of: member.name, at: place, withSuggestion: hasHint))
                continue
            }
            do throws(ValueFault) {
                try column.check(member.value)
                if !member.value.isNull { valid[member.name] = member.value }
            } catch {
                problems.append(Problem(path: place, code: error.code, message: error.message))
            }
        }
        if kind == .create {
            for column in columns where column.isRequired && values[column.name] == nil {
                let message = "Donnez une valeur à \(column.name.quotedInFrench)\u{A0}: ce champ est obligatoire."
                problems.append(
                    Problem(path: path.appendingPointer(column.name), code: .required, message: message))
            }
        }
        for rule in rules {
            guard let holds = rule.holds, rule.columns.allSatisfy({ valid[$0] != nil }), !holds(valid) else { continue }
            problems.append(breach(of: rule, given: values, at: path))
        }
        return problems
    }

    /// A breached rule, reported on the last of its columns that was given.
    func breach(of rule: Rule, given values: Object, at path: String) -> Problem {
        let column = rule.columns.last { values[$0] != nil }
        return Problem(path: column.map(path.appendingPointer) ?? path, code: .rule, message: rule.message)
    }

    /// What to say of a member that no write takes.
    private func refusal(of name: String, at path: String, withSuggestion: Bool) -> Problem {
        if let column = column(named: name) {
            let message = "Retirez \(column.name.quotedInFrench)\u{A0}: ce champ est tenu par le serveur."
            return Problem(path: path, code: .readOnly, message: message)
        }
        if derivedField(named: name) != nil {
            let message = "Retirez \(name.quotedInFrench)\u{A0}: ce champ est calculé par le serveur."
            return Problem(path: path, code: .readOnly, message: message)
        }
        var suggestion = withSuggestion ? writableColumns.map(\.name).nearest(to: name) : nil
        if case .toOne(let column)? = relation(named: name)?.kind { suggestion = column }
        let remedy = suggestion.map { "utilisez \($0.quotedInFrench)." } ?? "retirez-le."
        let message = "Le champ \(name.quotedInFrench) n'existe pas\u{A0}: \(remedy)"
        return Problem(path: path, code: .unknown, message: message, suggestion: suggestion)
    }
}

extension Column {
    /// Whether this column takes `value`: its type, null, emptiness, its range and its shape.
    public func check(_ value: Value) throws(ValueFault) {
        guard !value.isNull else {
            guard isNullable else {
                throw ValueFault(code: .required, message: "Donnez une valeur\u{A0}: ce champ ne peut pas être vide.")
            }
            return
        }
        let text = try type.postgresText(of: value)
        if type.isText, !isNullable, text.isBlank {
            throw ValueFault(code: .required, message: "Donnez un texte\u{A0}: ce champ ne peut pas être vide.")
        }
        if let minimum, let decimal = DecimalText(text), !decimal.isAtLeast(minimum) {
            throw ValueFault(code: .outOfRange, message: "Donnez un nombre supérieur ou égal à \(minimum).")
        }
        if let format, !format.accepts(text) {
            throw ValueFault(code: .format, message: format.message)
        }
    }
}
