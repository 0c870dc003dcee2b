import DomainKit

/// The entities of all domains that a role has rights to, indexed by name.
struct Schema: Sendable {
    private let tablesByName: [String: Table]
    private var defaultOrders: [Table: [OrderKey]] = [:]
    /// In the order of the domains.
    let tables: [Table]

    /// - Parameters:
    ///   - role: leaves out what this role may not read; nil: all entities, with every row.
    ///   - sortCollation: the Postgres collation by which text fields sort; nil for the database's default.
    init(_ domains: [Domain], for role: Role? = nil, sortCollation: String?) {
        let clause = sortCollation.map { " COLLATE \(SQLIdentifier.sql($0))" } ?? ""
        let known = Dictionary(
            domains.flatMap { domain in
                domain.entities.map { ($0.name, KnownTable($0, in: domain.schema, TableRights(of: role, on: $0))) }
            }, uniquingKeysWith: { first, _ in first })
        tables = domains.flatMap { domain in
            domain.entities.filter { TableRights.any(of: role, on: $0) }.map {
                Table($0, in: domain.schema, textSortCollation: clause, known: known)
            }
        }
        tablesByName = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for table in tables { defaultOrders[table] = keys(ofDefaultOrderOf: table) }
    }

    func table(named name: String) -> Table? { tablesByName[name] }

    /// The related table. Nil for an entity that is in no domain, or that the role may not read: the relationship is then
    /// treated as unknown.
    func target(of relationship: Relationship) -> Table? {
        tablesByName[relationship.relation.target].flatMap { $0.rights.isReadable ? $0 : nil }
    }

    /// Every foreign key that keeps a record of `table` from being deleted, of the tables that the role may read.
    func references(to table: Table) -> [(table: Table, column: String)] {
        tables.filter { $0.rights.isReadable && !$0.entity.isView }.flatMap { other in
            other.relationships.compactMap { relationship in
                if case .toOne(let column) = relationship.relation.kind, relationship.relation.target == table.name,
                    !relationship.relation.isPart
                {
                    (other, column)
                } else {
                    nil
                }
            }
        }
    }

    // MARK: Orders

    /// The order of a list without `order_by`.
    func defaultOrder(of table: Table) -> [OrderKey] { defaultOrders[table] ?? [] }

    /// Leaves out keys of tables that the role may not read. Traps when the entity's default order names an unknown field:
    /// entities are part of the program.
    private func keys(ofDefaultOrderOf table: Table) -> [OrderKey] {
        let keys = table.entity.defaultOrder.compactMap { term -> OrderKey? in
            var current = table
            var path: [Relationship] = []
            let names = term.path.split(separator: ".").map(String.init)
            for name in names.dropLast() {
                if current.isHidden(name) { return nil }
                guard let relationship = current.relationship(named: name), !relationship.isToMany,
                    let target = target(of: relationship)
                else { preconditionFailure("the default order of \(table.name) names an unknown relation, \(name)") }
                path.append(relationship)
                current = target
            }
            if current.isHidden(names[names.count - 1]) { return nil }
            guard let field = current.field(named: names[names.count - 1]) else {
                preconditionFailure("the default order of \(table.name) names an unknown field, \(term.path)")
            }
            return OrderKey(path: path, field: field, isDescending: term.isDescending)
        }
        return completed(keys, on: table)
    }

    /// Adds `id`, which breaks all ties. Keys after `id` have no effect and are removed.
    func completed(_ keys: [OrderKey], on table: Table) -> [OrderKey] {
        guard let id = table.field(named: "id") else { return keys }
        if let index = keys.firstIndex(where: { $0.path.isEmpty && $0.field == id }) {
            return Array(keys[...index])
        }
        return keys + [OrderKey(path: [], field: id, isDescending: false)]
    }
}

/// What tables need to know of each other, whether the role may read them or not.
struct KnownTable: Sendable {
    let entity: Entity
    /// The name in SQL, with its schema.
    let sql: String
    let rights: TableRights

    init(_ entity: Entity, in schema: String, _ rights: TableRights) {
        self.entity = entity
        self.rights = rights
        sql = SQLIdentifier.sql(entity.sourceName, in: schema)
    }
}

/// An entity with its fields and relationships as objects, which shapes compare and hash by identity.
final class Table: Sendable {
    let entity: Entity
    /// The name in SQL of the table, or of the view's function, with its schema unless that is `public`.
    let sql: String
    /// The parameters of a view; none for a table.
    let parameters: [Field]
    /// The name in SQL of the function from a row to its searchable text; nil for a table that is not searched.
    let searchFunction: String?
    /// What results may have: columns first, then derived fields, as the entity lists them.
    let fields: [Field]
    let relationships: [Relationship]
    let rights: TableRights
    private let fieldsByName: [String: Field]
    /// The columns that calls only write.
    private let unreadFields: [String: Field]
    private let relationshipsByName: [String: Relationship]

    /// - Parameters:
    ///   - schema: the Postgres schema of the table and its functions.
    ///   - textSortCollation: the COLLATE clause for the order of text fields.
    ///   - known: the tables with the rights of the role, by entity. Relations to those that it may not read are left out, and so
    ///     are figures about them.
    init(_ entity: Entity, in schema: String, textSortCollation: String, known: [String: KnownTable]) {
        self.entity = entity
        rights = known[entity.name]?.rights ?? TableRights(of: nil, on: entity)
        sql = SQLIdentifier.sql(entity.sourceName, in: schema)
        parameters = entity.parameters.enumerated().map { Field($1, at: $0) }
        searchFunction = entity.search.map { SQLIdentifier.sql($0.function, in: schema) }
        let indexed = Self.indexedColumns(of: entity)
        let columns = entity.readableColumns.enumerated().map { index, column in
            Field(
                column, at: index, textSortCollation: textSortCollation, isIndexed: indexed.contains(column.name),
                isInSearchText: entity.search?.columns.contains(column.name) ?? false)
        }
        fields =
            columns
            + entity.derived.compactMap { derived in
                Field.expression(of: derived, on: entity, in: schema, known).map { (derived, $0) }
            }.enumerated().map {
                Field($1.0, $1.1, of: schema, at: columns.count + $0, textSortCollation: textSortCollation)
            }
        relationships = entity.relations.compactMap { relation in
            let target = known[relation.target]?.rights
            guard target?.isReadable ?? true else { return nil }
            return Relationship(relation, of: entity, reachesOwnRowsOnly: target?.ownColumn(for: .read) != nil)
        }
        let unread = entity.columns.filter { !$0.isReadable }.enumerated().map { [fields] in
            Field($1, at: fields.count + $0)
        }
        unreadFields = Dictionary(unread.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        fieldsByName = Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        relationshipsByName = Dictionary(
            relationships.map { ($0.relation.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The columns that an index begins with.
    private static func indexedColumns(of entity: Entity) -> Set<String> {
        var names = Set(entity.columns.filter(\.isIndexed).map(\.name))
        guard !entity.isView else { return names }
        names.insert("id")
        if let first = entity.defaultOrder.first { names.insert(first.path) }
        for relation in entity.relations {
            if case .toOne(let column) = relation.kind { names.insert(column) }
        }
        return names
    }

    var name: String { entity.name }

    func field(named name: String) -> Field? { fieldsByName[name] }
    /// A column for the values of a write.
    func writtenField(named name: String) -> Field? { fieldsByName[name] ?? unreadFields[name] }
    func relationship(named name: String) -> Relationship? { relationshipsByName[name] }

    /// Whether the entity has a relation of this name to an entity that the role may not read, or a figure about one.
    func isHidden(_ name: String) -> Bool {
        relationshipsByName[name] == nil && entity.relation(named: name) != nil
            || fieldsByName[name] == nil && entity.derivedField(named: name) != nil
    }

    /// Every name that a selection may contain.
    var selectableNames: [String] { fields.map(\.name) + relationships.map(\.name) }
}

/// A column or a derived field.
final class Field: Sendable {
    let name: String
    let type: FieldType
    let isNullable: Bool
    /// The index among the fields of its table.
    let position: Int
    /// The COLLATE clause with which the field sorts, with a leading blank; empty for types other than text.
    let sortCollation: String
    /// For a derived field: how SQL computes it from a row.
    let computation: Computation?
    /// Whether an index of its table has the field's order.
    let isIndexed: Bool
    /// Whether the table's searchable text contains the field's value.
    let isInSearchText: Bool
    /// For a derived field: the name in SQL of the function from the row and an array of values to whether the field can
    /// have one of these values.
    let prefilter: String?

    init(
        _ column: Column, at position: Int, textSortCollation: String = "", isIndexed: Bool = false,
        isInSearchText: Bool = false
    ) {
        self.position = position
        name = column.name
        type = column.type
        isNullable = column.isNullable
        sortCollation = column.type.isCollated ? textSortCollation : ""
        computation = nil
        self.isIndexed = isIndexed
        self.isInSearchText = isInSearchText
        prefilter = nil
    }

    init(
        _ derived: DerivedField, _ computation: Computation, of schema: String, at position: Int,
        textSortCollation: String
    ) {
        self.position = position
        name = derived.name
        type = derived.type
        isNullable = derived.isNullable
        sortCollation = derived.type.isCollated ? textSortCollation : ""
        self.computation = computation
        isIndexed = derived.isIndexed
        isInSearchText = false
        prefilter = derived.prefilter.map { SQLIdentifier.sql($0, in: schema) }
    }

    var isColumn: Bool { computation == nil }
}

/// A relation as seen from the entity that declares it.
final class Relationship: Sendable {
    let relation: Relation
    /// Whether there may be no related record. False for a to-many relation: its value is a list.
    let isNullable: Bool
    /// Whether the role may read some of the related records only. The others count as absent.
    let reachesOwnRowsOnly: Bool

    init(_ relation: Relation, of entity: Entity, reachesOwnRowsOnly: Bool = false) {
        self.relation = relation
        self.reachesOwnRowsOnly = reachesOwnRowsOnly
        if case .toOne(let column) = relation.kind {
            isNullable = reachesOwnRowsOnly || entity.column(named: column)?.isNullable ?? true
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
