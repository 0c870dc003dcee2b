package import DomainKit

extension Planner {
    /// For each foreign key that `values` gives: whether the record it names exists. For after the database refused
    /// a write, to say of all of them together which lead nowhere.
    package func missingReferences(_ entity: Entity, _ values: Object) -> [ReferenceCheck] {
        entity.relations.compactMap { relation in
            guard case .toOne(let column) = relation.kind, let value = values[column], !value.isNull,
                let target = schema.table(named: relation.target)
            else { return nil }
            var resolution = Resolution(schema: schema, limits: limits)
            let path = "/values".appendingPointer(column)
            guard let id = resolution.text(of: value, as: .bigint, at: .pointer(path)) else { return nil }
            let noun = target.entity.noun
            return ReferenceCheck(
                path: path,
                message: "\(noun.isFeminine ? "Aucune" : "Aucun") \(noun.singular) n'a l'identifiant \(id).",
                query: Query(statement: statement(.exists(target)), parameters: [id]))
        }
    }

    /// How many records refer to one: one row, one `bigint`. Nil when nothing can refer to it.
    package func references(to entity: Entity, id: String) -> Query? {
        guard let table = schema.table(named: entity.name), !schema.references(to: table).isEmpty else { return nil }
        return Query(statement: statement(.references(table)), parameters: [id])
    }
}
