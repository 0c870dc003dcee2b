import DomainKit

extension Resolution {
    /// `["-date", "title", "author.name"]`, completed by `id`; nil, the problems noted, when it is not that.
    mutating func order(_ located: Located, on table: Table) -> [OrderKey]? {
        guard let form = open(located) else { return nil }
        guard case .list(let elements) = form else {
            findings.add(.type, at: place(of: located), "Donnez une liste de champs, comme [\"-id\"].")
            return nil
        }
        guard elements.count <= limits.orderKeys else {
            findings.add(.outOfRange, at: place(of: located), "Ordonnez par au plus \(limits.orderKeys) champs.")
            return nil
        }
        var keys: [OrderKey] = []
        for element in elements {
            guard let form = open(element) else { continue }
            let site = place(of: element)
            guard case .scalar(.string(let spelling)) = form, Self.isComparable(spelling) else {
                findings.add(.type, at: site, "Donnez le nom d'un champ entre guillemets.")
                continue
            }
            guard let key = orderKey(spelling, on: table, at: site) else { continue }
            if keys.contains(where: { $0.path == key.path && $0.field == key.field }) {
                findings.add(
                    .duplicate, at: site, "\(spelling.quotedInFrench) est déjà dans l'ordre\u{A0}: retirez-le.")
            }
            keys.append(key)
        }
        return schema.completed(keys, on: table)
    }

    mutating func orderKey(_ spelling: String, on table: Table, at site: Site) -> OrderKey? {
        let isDescending = spelling.hasPrefix("-")
        let names = spelling.dropFirst(isDescending ? 1 : 0).split(
            separator: ".", omittingEmptySubsequences: false
        ).map(String.init)
        var table = table
        var path: [Link] = []
        for name in names.dropLast() {
            guard let link = table.link(named: name), !link.isToMany, let target = schema.target(of: link) else {
                unknownOrder(name, of: table, among: table.links.filter { !$0.isToMany }.map(\.name), at: site)
                return nil
            }
            guard path.count < limits.selectionDepth else {
                findings.add(.depth(limits.selectionDepth, path: spelling))
                return nil
            }
            path.append(link)
            table = target
        }
        let name = names[names.count - 1]
        guard let field = table.field(named: name) else {
            unknownOrder(name, of: table, among: table.fields.map(\.name), at: site)
            return nil
        }
        guard field.type.isComparable else {
            findings.add(.type, at: site, "\(name.quotedInFrench) n'a pas d'ordre\u{A0}: nommez un autre champ.")
            return nil
        }
        return OrderKey(path: path, field: field, isDescending: isDescending)
    }

    private mutating func unknownOrder(_ name: String, of table: Table, among known: [String], at site: Site) {
        if let link = table.link(named: name) {
            findings.add(
                .type, at: site,
                link.isToMany
                    ? "\(name.quotedInFrench) mène à plusieurs enregistrements\u{A0}: nommez un autre champ."
                    : "\(name.quotedInFrench) est une relation\u{A0}: nommez un de ses champs, comme"
                        + " \("\(name).id".quotedInFrench).")
            return
        }
        let suggestion = findings.nearest(to: name, among: known)
        findings.add(
            .unknown, at: site, unknown(name, of: table, suggestion: suggestion), suggestion: suggestion)
    }
}

extension Schema {
    /// Traps on a default order that names what the entity has not: entities are part of the program.
    func keys(ofDefaultOrderOf table: Table) -> [OrderKey] {
        let keys = table.entity.defaultOrder.map { term in
            var place = table
            var path: [Link] = []
            let names = term.path.split(separator: ".").map(String.init)
            for name in names.dropLast() {
                guard let link = place.link(named: name), !link.isToMany, let target = target(of: link) else {
                    preconditionFailure("the default order of \(table.name) names no relation \(name)")
                }
                path.append(link)
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
