import DomainKit

extension Planner {
    /// Begins the resolution of a call with its `variables`. Which params a method takes, its definition says and has
    /// checked.
    func resolution(_ params: Object = Object()) -> Resolution {
        switch params["variables"] {
        case nil, .null?: return Resolution(schema: schema, limits: limits)
        case .object(let variables)?: return Resolution(schema: schema, limits: limits, variables: variables)
        case .some:
            var resolution = Resolution(schema: schema, limits: limits)
            resolution.diagnostics.add(
                .type, at: .pointer("/variables"), "Donnez un objet, comme {\"nom\": \"valeur\"}.")
            return resolution
        }
    }

    /// The table of an entity that one of the planner's domains has.
    func table(of entity: Entity) throws(PlanError) -> Table {
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
        let location = SourceLocation.pointer("/id")
        guard let value = params["id"] else {
            diagnostics.add(.required, at: location, "Donnez l'identifiant \("id".quotedInFrench).")
            return nil
        }
        do throws(ValueFault) {
            return try RecordID.text(of: value)
        } catch {
            diagnostics.add(error.code, at: location, error.message)
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
            diagnostics.add(.required, at: .pointer("/values"), "Donnez les valeurs \("values".quotedInFrench).")
            return []
        default:
            diagnostics.add(.type, at: .pointer("/values"), "Donnez un objet, comme {\"champ\": \"valeur\"}.")
            return []
        }
        let problems = table.entity.problems(in: object, for: kind)
        guard problems.isEmpty else {
            diagnostics.add(problems)
            return []
        }
        var values: [(field: Field, text: String?)] = []
        for member in object.members {
            guard let field = table.field(named: member.name) else { continue }
            var text: String?
            do throws(ValueFault) {
                text = member.value.isNull ? nil : try field.type.postgresText(of: member.value)
            } catch {
                diagnostics.add(error.code, at: SourceLocation.pointer("/values").member(member.name), error.message)
            }
            values.append((field, text))
        }
        // One statement for one set of columns, in whatever order they are written.
        return values.sorted { $0.field.position < $1.field.position }
    }
}
