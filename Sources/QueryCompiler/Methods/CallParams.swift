import DomainKit

extension Planner {
    /// Begins the resolution of a call: which table, which params there may be, and `variables`.
    func resolution(_ params: Object, taking known: [String]) -> Resolution {
        var variables = Object()
        var problem: Problem?
        switch params["variables"] {
        case nil, .null?: break
        case .object(let given)? where known.contains("variables"): variables = given
        case .some:
            problem = Problem(
                path: "/variables", code: .type, message: "Donnez un objet, comme {\"nom\": \"valeur\"}.")
        }
        var resolution = Resolution(schema: schema, limits: limits, variables: variables)
        for member in params.members where !known.contains(member.name) {
            let suggestion = resolution.findings.nearest(to: member.name, among: known)
            let list = known.map(\.quotedInFrench).joined(separator: ", ")
            resolution.findings.add(
                .unknown, at: .pointer("").member(member.name),
                "Le paramètre \(member.name.quotedInFrench) n'existe pas\u{A0}; cette méthode prend \(list).",
                suggestion: suggestion)
        }
        if let problem, known.contains("variables") { resolution.findings.add(problem) }
        return resolution
    }

    /// The table of an entity that one of the planner's domains has.
    func table(of entity: Entity) throws(PlanRefusal) -> Table {
        guard let table = schema.table(named: entity.name) else {
            let message = "La table \(entity.name.quotedInFrench) n'existe pas."
            throw .problems([Problem(path: "", code: .unknown, message: message)])
        }
        return table
    }
}

extension Resolution {
    /// `id`: a whole number from 1; nil, the problem noted, otherwise.
    mutating func id(_ params: Object) -> String? {
        let site = Site.pointer("/id")
        guard let value = params["id"] else {
            findings.add(.required, at: site, "Donnez l'identifiant \("id".quotedInFrench).")
            return nil
        }
        do throws(ValueFault) {
            return try RecordID.text(of: value)
        } catch {
            findings.add(error.code, at: site, error.message)
            return nil
        }
    }

    /// `if_version`; nil when it is not given or, the problem noted, is no version.
    mutating func version(_ params: Object) -> String? {
        guard let value = params["if_version"] else { return nil }
        return text(of: value, as: .integer, at: .pointer("/if_version"))
    }

    /// `values`, checked by the entity's own rules.
    mutating func values(_ params: Object, of table: Table, for kind: WriteKind) -> [(field: Field, text: String?)] {
        let object: Object
        switch params["values"] {
        case .object(let given)?: object = given
        case nil where kind != .create: object = Object()
        case nil:
            findings.add(.required, at: .pointer("/values"), "Donnez les valeurs \("values".quotedInFrench).")
            return []
        default:
            findings.add(.type, at: .pointer("/values"), "Donnez un objet, comme {\"champ\": \"valeur\"}.")
            return []
        }
        let problems = table.entity.problems(in: object, for: kind)
        guard problems.isEmpty else {
            findings.add(problems)
            return []
        }
        var values: [(field: Field, text: String?)] = []
        for member in object.members {
            guard let field = table.field(named: member.name) else { continue }
            var text: String?
            do throws(ValueFault) {
                text = member.value.isNull ? nil : try field.type.postgresText(of: member.value)
            } catch {
                findings.add(error.code, at: Site.pointer("/values").member(member.name), error.message)
            }
            values.append((field, text))
        }
        // One statement for one set of columns, in whatever order they are written.
        return values.sorted { $0.field.position < $1.field.position }
    }
}

extension [String] {
    /// These names; without one of them where it makes no sense.
    func without(_ name: String, unless isThere: Bool) -> [String] {
        isThere ? self : filter { $0 != name }
    }
}
