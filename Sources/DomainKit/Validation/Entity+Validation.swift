public import JSON

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
    /// - Returns: the problems of the given members in their order, then the missing ones, then violated rules, then
    ///   references that no record can have.
    public func problems(in values: JSONObject, for kind: WriteKind, at path: String = "/values") -> [Problem] {
        let problems = columnSet.problems(in: values, for: kind, at: path, unknown: problem(withUnknown:))
        return problems
            + impossibleReferences(in: values, at: path).filter { impossible in
                !problems.contains { $0.path == impossible.path }
            }
    }

    /// The values of foreign keys that are no identifiers, such as 0.
    private func impossibleReferences(in values: JSONObject, at path: String) -> [Problem] {
        relations.compactMap { relation in
            guard case .toOne(let column) = relation.kind, let value = values[column], !value.isNull else { return nil }
            do throws(ValueError) {
                _ = try RecordID.text(of: value)
                return nil
            } catch {
                return Problem(error, at: path.appendingPointer(column))
            }
        }
    }

    /// The problem that a violated constraint of the database stands for, whichever effect its rule has.
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
        columnSet.problem(forConstraint: name, given: values, at: path)
    }

    /// How a write that violates a constraint of the database is answered: ``ColumnSet/refusal(forConstraint:facts:place:given:at:)``.
    public func refusal(
        forConstraint name: String, facts: JSONObject, place: String?, given values: JSONObject,
        at path: String = "/values"
    ) -> Refusal? {
        columnSet.refusal(forConstraint: name, facts: facts, place: place, given: values, at: path)
    }

    /// The problem with a member that is not a column; nil if the entity has no better message than its columns.
    private func problem(withUnknown name: String) -> FieldProblem? {
        if derivedField(named: name) != nil { return .derived(name) }
        if case .toOne(let column)? = relation(named: name)?.kind { return .unknown(name, suggestion: column) }
        return nil
    }
}
