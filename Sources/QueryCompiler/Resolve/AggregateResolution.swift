import DomainKit

extension Resolution {
    // MARK: group_by

    /// `["author_id", "month(date)", "author.name"]`
    mutating func groups(_ located: LocatedValue, on table: Table) -> [GroupKey] {
        guard let form = open(located) else { return [] }
        guard case .list(let elements) = form else {
            diagnostics.add(.type, at: place(of: located), "Donnez une liste de champs, comme [\"id\"].")
            return []
        }
        guard elements.count <= limits.orderKeys else {
            diagnostics.add(.outOfRange, at: place(of: located), "Regroupez par au plus \(limits.orderKeys) champs.")
            return []
        }
        var groups: [GroupKey] = []
        for element in elements {
            guard let form = open(element) else { continue }
            let location = place(of: element)
            guard case .scalar(.string(let spelling)) = form, Self.isComparable(spelling) else {
                diagnostics.add(.type, at: location, "Donnez le nom d'un champ entre guillemets.")
                continue
            }
            guard let group = group(spelling, on: table, at: location) else { continue }
            guard !groups.contains(where: { $0.spelling == spelling }) else {
                diagnostics.add(
                    .duplicate, at: location, "\(spelling.quotedInFrench) est donné deux fois\u{A0}: retirez-le.")
                continue
            }
            groups.append(group)
        }
        return groups
    }

    private mutating func group(_ spelling: String, on table: Table, at location: SourceLocation) -> GroupKey? {
        var name = spelling
        var period: GroupKey.Period?
        if spelling.hasSuffix(")"), let bracket = spelling.firstIndex(of: "(") {
            let word = String(spelling[..<bracket])
            period = GroupKey.Period(rawValue: word)
            guard period != nil else {
                let known = GroupKey.Period.allCases.map(\.rawValue)
                diagnostics.add(
                    .unknown, at: location,
                    "La période \(word.quotedInFrench) n'existe pas\u{A0}; les périodes sont"
                        + " \(known.joined(separator: ", ")).", suggestion: diagnostics.nearest(to: word, among: known))
                return nil
            }
            name = String(spelling[spelling.index(after: bracket)...].dropLast())
        }
        guard !name.hasPrefix("-"), let key = orderKey(name, on: table, at: location) else {
            if name.hasPrefix("-") {
                diagnostics.add(.format, at: location, "Un regroupement n'a pas de sens\u{A0}: retirez le signe moins.")
            }
            return nil
        }
        guard period == nil || key.field.type == .date else {
            diagnostics.add(.type, at: location, "\(name.quotedInFrench) n'est pas une date\u{A0}: retirez la période.")
            return nil
        }
        return GroupKey(spelling: spelling, path: key.path, field: key.field, period: period)
    }

    // MARK: select

    /// `{ count sum { cost } }`
    ///
    /// - Parameter groups: their spellings are keys of the answer already.
    mutating func aggregates(_ text: String, on table: Table, besides groups: [GroupKey]) -> [AggregateOutput] {
        let document: SelectionDocument
        do throws(SelectionError) {
            document = try SelectionParser.parse(text)
        } catch {
            diagnostics.add(error, limits: limits)
            return []
        }
        // None has a place here: where one stands is the problem, not that it is not used.
        usedVariables.formUnion(document.variables)
        for fragment in document.fragments {
            diagnostics.add(
                .unknown, at: .selection(fragment.name.position), "Les fragments n'ont pas de sens dans un agrégat.")
        }
        let whole = ExpandedSelection(root: document.root, definitions: [:], innermostFirst: [])
        guard whole.count <= limits.fields else {
            whole.refuse(in: &self)
            return []
        }
        let fields = merged([document.root])
        for field in fields.map({ $0[0] }) where groups.contains(where: { $0.spelling == field.key }) {
            diagnostics.add(
                .duplicate, at: .selection((field.alias ?? field.name).position),
                "La clé \(field.key.quotedInFrench) est déjà celle d'un groupe\u{A0}: donnez un autre alias.")
        }
        return fields.compactMap { output($0, on: table) }
    }

    /// The fields of the same key together, as GraphQL merges them; those that mean something else are told.
    private mutating func merged(_ sets: [SelectionSet]) -> [[FieldSelection]] {
        var groups: [[FieldSelection]] = []
        for field in sets.flatMap({ fields(of: $0) }) {
            guard let index = groups.firstIndex(where: { $0[0].key == field.key }) else {
                groups.append([field])
                continue
            }
            if groups[index][0].name.text == field.name.text {
                groups[index].append(field)
            } else {
                diagnostics.add(
                    .duplicate, at: .selection((field.alias ?? field.name).position),
                    "La clé \(field.key.quotedInFrench) est demandée deux fois avec des sens différents\u{A0}: donnez"
                        + " un alias à l'une des deux.")
            }
        }
        return groups
    }

    private mutating func output(_ group: [FieldSelection], on table: Table) -> AggregateOutput? {
        let field = group[0]
        let name = field.name.text
        if name == "count" {
            for set in group.compactMap(\.set) {
                diagnostics.add(
                    .type, at: .selection(set.position), "\(name.quotedInFrench) ne prend pas de sélection.")
            }
            return .count(key: field.key)
        }
        guard let function = AggregateValue.Function(rawValue: name) else {
            let known = ["count"] + AggregateKeywords.functions
            diagnostics.add(
                .unknown, at: .selection(field.name.position),
                "\(name.quotedInFrench) n'est pas un agrégat\u{A0}; les agrégats sont"
                    + " \(known.joined(separator: ", ")).", suggestion: diagnostics.nearest(to: name, among: known))
            return nil
        }
        for field in group where field.set == nil {
            diagnostics.add(
                .type, at: .selection(field.name.position),
                "Nommez entre accolades les champs de \(name.quotedInFrench).")
        }
        var members: [AggregateField] = []
        for group in merged(group.compactMap(\.set)) {
            let member = group[0]
            let place = SourceLocation.selection(member.name.position)
            guard let column = aggregated(member.name.text, by: function, on: table, at: place) else { continue }
            for inner in group.compactMap(\.set) {
                diagnostics.add(
                    .type, at: .selection(inner.position),
                    "\(member.name.text.quotedInFrench) est une valeur simple\u{A0}: retirez la sélection.")
            }
            members.append(AggregateField(key: member.key, field: column))
        }
        return .function(key: field.key, function, members)
    }

    private mutating func fields(of set: SelectionSet) -> [FieldSelection] {
        var fields: [FieldSelection] = []
        for selection in set.selections {
            switch selection {
            case .spread(let name):
                diagnostics.add(
                    .unknown, at: .selection(name.position), "Les fragments n'ont pas de sens dans un agrégat.")
            case .field(let field):
                if let argument = field.arguments.first {
                    diagnostics.add(
                        .unknown, at: .selection(argument.name.position),
                        "\(field.name.text.quotedInFrench) ne prend pas d'argument.")
                }
                fields.append(field)
            }
        }
        return fields
    }

    /// A field that `function` makes sense of.
    private mutating func aggregated(
        _ name: String, by function: AggregateValue.Function, on table: Table, at location: SourceLocation
    ) -> Field? {
        guard let field = table.field(named: name) else {
            if table.relationship(named: name) != nil {
                diagnostics.add(
                    .type, at: location,
                    "\(name.quotedInFrench) est une relation\u{A0}: nommez une colonne de la table.")
                return nil
            }
            let suggestion = diagnostics.nearest(to: name, among: table.fields.map(\.name))
            diagnostics.add(
                .unknown, at: location, unknown(name, of: table, suggestion: suggestion), suggestion: suggestion)
            return nil
        }
        guard function.applies(to: field.type) else {
            diagnostics.add(
                .type, at: location,
                "\(function.rawValue.quotedInFrench) ne vaut pas pour \(name.quotedInFrench)\u{A0}: nommez un nombre"
                    + (function == .min || function == .max ? " ou une date." : "."))
            return nil
        }
        return field
    }

    // MARK: order_by

    /// Keys of the grouping, `count` and `sum.cost`; what they leave open the groups' keys decide.
    mutating func order(_ located: LocatedValue?, of groups: [GroupKey], on table: Table) -> [AggregateOrder] {
        var order: [AggregateOrder] = []
        if let located, let form = open(located) {
            guard case .list(let elements) = form else {
                diagnostics.add(.type, at: place(of: located), "Donnez une liste, comme [\"-count\"].")
                return []
            }
            guard elements.count <= limits.orderKeys else {
                diagnostics.add(.outOfRange, at: place(of: located), "Ordonnez par au plus \(limits.orderKeys) clés.")
                return []
            }
            for element in elements {
                guard let form = open(element) else { continue }
                let location = place(of: element)
                guard case .scalar(.string(let spelling)) = form, Self.isComparable(spelling) else {
                    diagnostics.add(.type, at: location, "Donnez un nom entre guillemets.")
                    continue
                }
                let isDescending = spelling.hasPrefix("-")
                let name = String(spelling.dropFirst(isDescending ? 1 : 0))
                guard let term = orderTerm(name, of: groups, on: table, at: location) else { continue }
                guard !order.contains(where: { $0.term == term }) else {
                    diagnostics.add(
                        .duplicate, at: location, "\(spelling.quotedInFrench) est déjà dans l'ordre\u{A0}: retirez-le.")
                    continue
                }
                order.append(AggregateOrder(term: term, isDescending: isDescending))
            }
        }
        let rest = groups.indices.filter { index in !order.contains { $0.term == .group(index) } }
        return order + rest.map { AggregateOrder(term: .group($0), isDescending: false) }
    }

    private mutating func orderTerm(
        _ name: String, of groups: [GroupKey], on table: Table, at location: SourceLocation
    ) -> AggregateOrder.Term? {
        if let index = groups.firstIndex(where: { $0.spelling == name }) { return .group(index) }
        if name == "count" { return .value(.count) }
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, let function = AggregateValue.Function(rawValue: parts[0]) {
            return aggregated(parts[1], by: function, on: table, at: location).map { .value(.function(function, $0)) }
        }
        let known = groups.map(\.spelling) + ["count"]
        diagnostics.add(
            .unknown, at: location,
            "On ne peut pas ordonner par \(name.quotedInFrench)\u{A0}: nommez une clé de"
                + " \("group_by".quotedInFrench), \("count".quotedInFrench) ou un agrégat comme"
                + " \("sum.champ".quotedInFrench).", suggestion: diagnostics.nearest(to: name, among: known))
        return nil
    }
}
