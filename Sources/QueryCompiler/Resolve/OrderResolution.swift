import DomainKit

extension Resolution {
    /// `["-date", "title", "author.name"]`, completed by `id`; nil, the problems noted, when it is not that.
    mutating func order(_ located: LocatedValue, on table: Table) -> [OrderKey]? {
        guard let form = open(located) else { return nil }
        guard case .list(let elements) = form else {
            diagnostics.add(.type, at: place(of: located), "Donnez une liste de champs, comme [\"-id\"].")
            return nil
        }
        guard elements.count <= limits.orderKeys else {
            diagnostics.add(.outOfRange, at: place(of: located), "Ordonnez par au plus \(limits.orderKeys) champs.")
            return nil
        }
        var keys: [OrderKey] = []
        for element in elements {
            guard let form = open(element) else { continue }
            let location = place(of: element)
            guard case .scalar(.string(let spelling)) = form, Self.isComparable(spelling) else {
                diagnostics.add(.type, at: location, "Donnez le nom d'un champ entre guillemets.")
                continue
            }
            guard let key = orderKey(spelling, on: table, at: location) else { continue }
            if keys.contains(where: { $0.path == key.path && $0.field == key.field }) {
                diagnostics.add(
                    .duplicate, at: location, "\(spelling.quotedInFrench) est déjà dans l'ordre\u{A0}: retirez-le.")
            }
            keys.append(key)
        }
        return schema.completed(keys, on: table)
    }

    mutating func orderKey(_ spelling: String, on table: Table, at location: SourceLocation) -> OrderKey? {
        let isDescending = spelling.hasPrefix("-")
        let names = spelling.dropFirst(isDescending ? 1 : 0).split(
            separator: ".", omittingEmptySubsequences: false
        ).map(String.init)
        var table = table
        var path: [Relationship] = []
        for name in names.dropLast() {
            guard let relationship = table.relationship(named: name), !relationship.isToMany,
                let target = schema.target(of: relationship)
            else {
                unknownOrder(
                    name, of: table, among: table.relationships.filter { !$0.isToMany }.map(\.name), at: location)
                return nil
            }
            guard path.count < limits.selectionDepth else {
                diagnostics.add(.depth(limits.selectionDepth, path: spelling))
                return nil
            }
            path.append(relationship)
            table = target
        }
        let name = names[names.count - 1]
        guard let field = table.field(named: name) else {
            unknownOrder(name, of: table, among: table.fields.map(\.name), at: location)
            return nil
        }
        guard field.type.isComparable else {
            diagnostics.add(.type, at: location, "\(name.quotedInFrench) n'a pas d'ordre\u{A0}: nommez un autre champ.")
            return nil
        }
        return OrderKey(path: path, field: field, isDescending: isDescending)
    }

    private mutating func unknownOrder(
        _ name: String, of table: Table, among known: [String], at location: SourceLocation
    ) {
        if let relationship = table.relationship(named: name) {
            diagnostics.add(
                .type, at: location,
                relationship.isToMany
                    ? "\(name.quotedInFrench) mène à plusieurs enregistrements\u{A0}: nommez un autre champ."
                    : "\(name.quotedInFrench) est une relation\u{A0}: nommez un de ses champs, comme"
                        + " \("\(name).id".quotedInFrench).")
            return
        }
        let suggestion = diagnostics.nearest(to: name, among: known)
        diagnostics.add(
            .unknown, at: location, unknown(name, of: table, suggestion: suggestion), suggestion: suggestion)
    }
}

extension Schema {
    /// Traps on a default order that names what the entity has not: entities are part of the program.
    func keys(ofDefaultOrderOf table: Table) -> [OrderKey] {
        let keys = table.entity.defaultOrder.map { term in
            var place = table
            var path: [Relationship] = []
            let names = term.path.split(separator: ".").map(String.init)
            for name in names.dropLast() {
                guard let relationship = place.relationship(named: name), !relationship.isToMany,
                    let target = target(of: relationship)
                else {
                    preconditionFailure("the default order of \(table.name) names no relation \(name)")
                }
                path.append(relationship)
                place = target
            }
            guard let field = place.field(named: names[names.count - 1]) else {
                preconditionFailure("the default order of \(table.name) names no field \(term.path)")
            }
            return OrderKey(path: path, field: field, isDescending: term.isDescending)
        }
        return completed(keys, on: table)
    }

    /// Ties are broken by `id`; what comes after `id` decides nothing.
    func completed(_ keys: [OrderKey], on table: Table) -> [OrderKey] {
        guard let id = table.field(named: "id") else { return keys }
        if let index = keys.firstIndex(where: { $0.path.isEmpty && $0.field == id }) {
            return Array(keys[...index])
        }
        return keys + [OrderKey(path: [], field: id, isDescending: false)]
    }
}
