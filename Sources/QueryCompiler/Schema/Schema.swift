import DomainKit

/// All entities of all domains, prepared for look-ups.
struct Schema: Sendable {
    private let tables: [String: Table]
    private var defaultOrders: [Table: [OrderKey]] = [:]
    /// In the order of the domains.
    let all: [Table]

    init(_ domains: [Domain]) {
        all = domains.flatMap(\.entities).map(Table.init)
        tables = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for table in all { defaultOrders[table] = keys(ofDefaultOrderOf: table) }
    }

    /// The order without `order_by`.
    func defaultOrder(of table: Table) -> [OrderKey] { defaultOrders[table] ?? [] }

    func table(named name: String) -> Table? { tables[name] }

    /// Where a relation leads; nil for a relation to an entity that no domain has, which then behaves as unknown.
    func target(of relationship: Relationship) -> Table? { tables[relationship.relation.target] }

    /// Every foreign key that refers to `table`.
    func references(to table: Table) -> [(table: Table, column: String)] {
        all.flatMap { other in
            other.relationships.compactMap { relationship in
                if case .toOne(let column) = relationship.relation.kind, relationship.relation.target == table.name {
                    (other, column)
                } else {
                    nil
                }
            }
        }
    }
}

/// An entity whose fields and relations are objects: shapes compare and hash them by identity.
final class Table: Sendable {
    let entity: Entity
    /// Columns first, then derived fields, as the entity lists them.
    let fields: [Field]
    let relationships: [Relationship]
    private let fieldsByName: [String: Field]
    private let relationshipsByName: [String: Relationship]

    init(_ entity: Entity) {
        self.entity = entity
        let columns = entity.columns.enumerated().map { index, column in
            Field(column, at: index, isInSearchDocument: entity.search?.columns.contains(column.name) ?? false)
        }
        fields = columns + entity.derived.enumerated().map { Field($1, at: columns.count + $0) }
        relationships = entity.relations.map { Relationship($0, of: entity) }
        fieldsByName = Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        relationshipsByName = Dictionary(
            relationships.map { ($0.relation.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var name: String { entity.name }

    func field(named name: String) -> Field? { fieldsByName[name] }
    func relationship(named name: String) -> Relationship? { relationshipsByName[name] }
}

/// A column or a derived field.
final class Field: Sendable {
    let name: String
    let type: FieldType
    let isNullable: Bool
    /// Among the fields of its table.
    let position: Int
    /// For a derived field: the SQL function from the row to its value.
    let function: String?
    /// Whether an index of its table gives the records in its order.
    let isIndexed: Bool
    /// Whether the searchable text of its table holds its value.
    let isInSearchDocument: Bool
    /// For a derived field: the SQL function from the row and an array of values to whether it may have one of them.
    let prefilter: String?

    init(_ column: Column, at position: Int, isInSearchDocument: Bool = false) {
        self.position = position
        name = column.name
        type = column.type
        isNullable = column.isNullable
        function = nil
        isIndexed = true
        self.isInSearchDocument = isInSearchDocument
        prefilter = nil
    }

    init(_ derived: DerivedField, at position: Int) {
        self.position = position
        name = derived.name
        type = derived.type
        isNullable = derived.isNullable
        function = derived.function
        isIndexed = derived.isIndexed
        isInSearchDocument = false
        prefilter = derived.prefilter
    }

    var isColumn: Bool { function == nil }
}

/// A relation as seen from the entity that has it.
final class Relationship: Sendable {
    let relation: Relation
    /// Whether there may be no related record. To-many relations are never null.
    let isNullable: Bool

    init(_ relation: Relation, of entity: Entity) {
        self.relation = relation
        if case .toOne(let column) = relation.kind {
            isNullable = entity.column(named: column)?.isNullable ?? true
        } else {
            isNullable = false
        }
    }

    var name: String { relation.name }

    var isToMany: Bool {
        if case .toMany = relation.kind { true } else { false }
    }
}

extension Table: Hashable {
    static func == (left: Table, right: Table) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Field: Hashable {
    static func == (left: Field, right: Field) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Relationship: Hashable {
    static func == (left: Relationship, right: Relationship) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
