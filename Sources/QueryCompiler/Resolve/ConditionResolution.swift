import DomainKit

extension Resolution {
    /// `{"date": {"gte": "2026-01-01"}, "or": […]}` on records of `table`.
    ///
    /// - Parameter relations: those gone through so far.
    mutating func condition(_ located: Located, on table: Table, through relations: [String] = []) -> Condition? {
        guard let form = open(located) else { return nil }
        guard case .object(let members) = form else {
            findings.add(.type, at: place(of: located), "Donnez un objet, comme {\"id\": 1}.")
            return nil
        }
        if members.isEmpty { countCondition(at: located.site) }
        checkDistinct(members)
        let conditions = members.compactMap { member(of: $0, on: table, through: relations) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func member(of member: Located.Member, on table: Table, through relations: [String]) -> Condition?
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
        if let link = table.link(named: member.name), let target = schema.target(of: link) {
            return related(member, over: link, to: target, through: relations)
        }
        let suggestion = findings.nearest(to: member.name, among: table.entity.selectableNames + ["and", "or", "not"])
        findings.add(
            .unknown, at: member.site, unknown(member.name, of: table, suggestion: suggestion), suggestion: suggestion)
        return nil
    }

    private mutating func negated(_ located: Located, on table: Table, through relations: [String]) -> Condition? {
        let outer = isNegated
        isNegated = true
        defer { isNegated = outer }
        return condition(located, on: table, through: relations).map(Condition.not)
    }

    private mutating func conditions(_ located: Located, on table: Table, through relations: [String]) -> [Condition]? {
        guard let form = open(located) else { return nil }
        guard case .list(let elements) = form else {
            findings.add(.type, at: place(of: located), "Donnez une liste de conditions, comme [{…}, {…}].")
            return nil
        }
        if elements.isEmpty { countCondition(at: located.site) }
        return elements.compactMap { condition($0, on: table, through: relations) }
    }

    // MARK: Relations

    private mutating func related(
        _ member: Located.Member, over link: Link, to target: Table, through relations: [String]
    ) -> Condition? {
        guard relations.count < limits.selectionDepth else {
            findings.add(.depth(limits.selectionDepth, path: (relations + [link.name]).joined(separator: ".")))
            return nil
        }
        guard let form = open(member.value) else { return nil }
        switch form {
        case .scalar(.null) where !link.isToMany:
            countCondition(at: member.site)
            return .missing(link)
        case .object(let members) where link.isToMany:
            if members.isEmpty { countCondition(at: member.site) }
            return quantified(members, over: link, to: target, through: relations)
        case .object:
            countRelation(at: member.site)
            return condition(member.value, on: target, through: relations + [link.name]).map { .related(link, $0) }
        default:
            let remedy =
                link.isToMany
                ? "Donnez un objet avec \("some".quotedInFrench) ou \("none".quotedInFrench)."
                : "Donnez un objet de conditions ou null."
            findings.add(.type, at: place(of: member.value), remedy)
            return nil
        }
    }

    /// `{"some": {…}, "none": {…}}`
    private mutating func quantified(
        _ members: [Located.Member], over link: Link, to target: Table, through relations: [String]
    ) -> Condition? {
        checkDistinct(members)
        let quantifiers = ["some", "none"]
        var conditions: [Condition] = []
        for member in members {
            guard quantifiers.contains(member.name) else {
                let suggestion = findings.nearest(to: member.name, among: quantifiers)
                findings.add(
                    .unknown, at: member.site,
                    "\(member.name.quotedInFrench) n'est pas admis ici\u{A0}: la relation \(link.name.quotedInFrench)"
                        + " prend \("some".quotedInFrench) ou \("none".quotedInFrench).", suggestion: suggestion)
                continue
            }
            countRelation(at: member.site)
            guard let inner = condition(member.value, on: target, through: relations + [link.name]) else { continue }
            conditions.append(member.name == "some" ? .related(link, inner) : .not(.related(link, inner)))
        }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func countRelation(at site: Site) {
        counts.relations += 1
        if counts.relations == limits.filterRelations + 1 {
            findings.add(
                .outOfRange, at: site, "Traversez au plus \(limits.filterRelations) relations dans les conditions.")
        }
    }

    // MARK: Messages

    mutating func checkDistinct(_ members: [Located.Member]) {
        guard members.count > 1, case .selection? = members.first?.site else { return }
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name).inserted {
            findings.add(.duplicate, at: member.site, "\(member.name.quotedInFrench) est donné deux fois.")
        }
    }

    func unknown(_ name: String, of table: Table, suggestion: String?) -> String {
        let remedy = suggestion.map { "\u{A0}: vouliez-vous \($0.quotedInFrench)\u{A0}?" } ?? "."
        return "\(name.quotedInFrench) n'existe pas dans \(table.name.quotedInFrench)" + remedy
    }
}

extension LimitExceeded {
    static func depth(_ maximum: Int, path: String?) -> LimitExceeded {
        LimitExceeded(
            name: "selection_depth", message: "La demande traverse plus de \(maximum) relations.", price: nil,
            max: maximum, path: path)
    }
}
