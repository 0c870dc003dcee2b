import DomainKit

extension Resolution {
    /// `{"date": {"gte": "2026-01-01"}, "or": […]}` on records of `table`.
    ///
    /// - Parameter relations: those gone through so far.
    mutating func condition(_ located: LocatedValue, on table: Table, through relations: [String] = []) -> Condition? {
        guard let form = open(located) else { return nil }
        guard case .object(let members) = form else {
            diagnostics.add(.type, at: place(of: located), "Donnez un objet, comme {\"id\": 1}.")
            return nil
        }
        if members.isEmpty { countCondition(at: located.location) }
        checkDistinct(members)
        let conditions = members.compactMap { member(of: $0, on: table, through: relations) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func member(of member: LocatedValue.Member, on table: Table, through relations: [String])
        -> Condition?
    {
        switch member.name {
        case "and": return conditions(member.value, on: table, through: relations).map(Condition.all)
        case "or": return conditions(member.value, on: table, through: relations).map(Condition.any)
        case "not": return negated(member.value, on: table, through: relations)
        default: break
        }
        if let field = table.field(named: member.name) {
            return condition(member.value, on: field)
        }
        if let relationship = table.relationship(named: member.name), let target = schema.target(of: relationship) {
            return related(member, over: relationship, to: target, through: relations)
        }
        let suggestion = diagnostics.nearest(
            to: member.name, among: table.entity.selectableNames + ["and", "or", "not"])
        diagnostics.add(
            .unknown, at: member.location, unknown(member.name, of: table, suggestion: suggestion),
            suggestion: suggestion)
        return nil
    }

    private mutating func negated(_ located: LocatedValue, on table: Table, through relations: [String]) -> Condition? {
        let outer = isNegated
        isNegated = true
        defer { isNegated = outer }
        return condition(located, on: table, through: relations).map(Condition.not)
    }

    private mutating func conditions(_ located: LocatedValue, on table: Table, through relations: [String])
        -> [Condition]?
    {
        guard let form = open(located) else { return nil }
        guard case .list(let elements) = form else {
            diagnostics.add(.type, at: place(of: located), "Donnez une liste de conditions, comme [{…}, {…}].")
            return nil
        }
        if elements.isEmpty { countCondition(at: located.location) }
        return elements.compactMap { condition($0, on: table, through: relations) }
    }

    // MARK: Relations

    private mutating func related(
        _ member: LocatedValue.Member, over relationship: Relationship, to target: Table, through relations: [String]
    ) -> Condition? {
        guard relations.count < limits.selectionDepth else {
            diagnostics.add(
                .depth(limits.selectionDepth, path: (relations + [relationship.name]).joined(separator: ".")))
            return nil
        }
        guard let form = open(member.value) else { return nil }
        switch form {
        case .scalar(.null) where !relationship.isToMany:
            countCondition(at: member.location)
            return .missing(relationship)
        case .object(let members) where relationship.isToMany:
            if members.isEmpty { countCondition(at: member.location) }
            return quantified(members, over: relationship, to: target, through: relations)
        case .object:
            countRelation(at: member.location)
            return condition(member.value, on: target, through: relations + [relationship.name]).map {
                .related(relationship, $0)
            }
        default:
            let remedy =
                relationship.isToMany
                ? "Donnez un objet avec \("some".quotedInFrench) ou \("none".quotedInFrench)."
                : "Donnez un objet de conditions ou null."
            diagnostics.add(.type, at: place(of: member.value), remedy)
            return nil
        }
    }

    /// `{"some": {…}, "none": {…}}`
    private mutating func quantified(
        _ members: [LocatedValue.Member], over relationship: Relationship, to target: Table, through relations: [String]
    ) -> Condition? {
        checkDistinct(members)
        let quantifiers = ["some", "none"]
        var conditions: [Condition] = []
        for member in members {
            guard quantifiers.contains(member.name) else {
                let suggestion = diagnostics.nearest(to: member.name, among: quantifiers)
                diagnostics.add(
                    .unknown, at: member.location,
                    "\(member.name.quotedInFrench) n'est pas admis ici\u{A0}: la relation \(relationship.name.quotedInFrench)"
                        + " prend \("some".quotedInFrench) ou \("none".quotedInFrench).", suggestion: suggestion)
                continue
            }
            countRelation(at: member.location)
            guard let inner = condition(member.value, on: target, through: relations + [relationship.name]) else {
                continue
            }
            conditions.append(
                member.name == "some" ? .related(relationship, inner) : .not(.related(relationship, inner)))
        }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func countRelation(at location: SourceLocation) {
        counts.relations += 1
        if counts.relations == limits.filterRelations + 1 {
            diagnostics.add(
                .outOfRange, at: location, "Traversez au plus \(limits.filterRelations) relations dans les conditions.")
        }
    }

    // MARK: Messages

    mutating func checkDistinct(_ members: [LocatedValue.Member]) {
        guard members.count > 1, case .selection? = members.first?.location else { return }
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name).inserted {
            diagnostics.add(.duplicate, at: member.location, "\(member.name.quotedInFrench) est donné deux fois.")
        }
    }

    func unknown(_ name: String, of table: Table, suggestion: String?) -> String {
        let remedy = suggestion.map { "\u{A0}: vouliez-vous \($0.quotedInFrench)\u{A0}?" } ?? "."
        return "\(name.quotedInFrench) n'existe pas dans \(table.name.quotedInFrench)" + remedy
    }
}

extension QueryLimitError {
    static func depth(_ maximum: Int, path: String?) -> QueryLimitError {
        QueryLimitError(
            name: "selection_depth", message: "La demande traverse plus de \(maximum) relations.", cost: nil,
            max: maximum, path: path)
    }
}
