import DomainKit
import QueryCompiler

extension Entity {
    var groupSchemaName: String { "\(name)_groups" }
    var groupOrderSchemaName: String { "\(name)_groups_order" }

    /// `group_by` over this entity: its fields, those of the records it refers to, and the periods of dates.
    func groupSchema(_ limits: Limits, entities: [String: Entity]) -> Value {
        JSONSchema.array(of: JSONSchema.words(groupKeys(limits.selectionDepth, entities)))
            .adding("uniqueItems", true).adding("maxItems", .integer(limits.orderKeys))
    }

    /// `order_by` of an aggregate over this entity: keys of its `group_by`, `count` and functions of fields. That a key
    /// must be in `group_by` is more than a schema can say.
    func groupOrderSchema(_ limits: Limits, entities: [String: Entity]) -> Value {
        let fields = columns.map { ($0.name, $0.type) } + derived.map { ($0.name, $0.type) }
        let numbers = fields.flatMap { name, type in AggregateKeywords.functions(of: type).map { "\($0).\(name)" } }
        let words = ["count"] + numbers + groupKeys(limits.selectionDepth, entities)
        return JSONSchema.order(
            by: words, atMost: limits.orderKeys,
            "Les clés doivent être dans group_by. Chacune une fois, dans un sens ou dans l'autre."
        )
        .adding("x-keys-of", "group_by")
    }

    private func groupKeys(_ depth: Int, _ entities: [String: Entity]) -> [String] {
        fieldPaths(depth: depth, entities: entities).flatMap { path, type in
            [path] + (type == .date ? AggregateKeywords.periods.map { "\($0)(\(path))" } : [])
        }
    }
}
