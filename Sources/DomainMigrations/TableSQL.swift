import DomainKit
import QueryCompiler

/// The SQL of one entity's table.
struct TableSQL {
    let entity: Entity
    let domain: Domain
    /// Every served domain: a foreign key may lead to the table of another.
    let domains: [Domain]

    var name: String { "\(SQLIdentifier.sql(domain.schema)).\(SQLIdentifier.sql(entity.name))" }

    /// The table in a text constant: `'bookshop.books'`.
    var quoted: String { SQLIdentifier.literal(name) }

    // MARK: Foreign keys

    /// A foreign key of the table.
    struct Key {
        let column: String
        let target: Entity
        let schema: String
        /// The columns of the owner here and there, where both tables have records of subjects.
        let owners: (here: String, there: String)?
        /// Whether the rows of both tables belong to companies: a row then refers to one of its own company.
        let hasCompany: Bool
        /// ` ON DELETE CASCADE`, if the record is a part of the other.
        let action: String

        var reference: String { "\(SQLIdentifier.sql(schema)).\(SQLIdentifier.sql(target.name))" }

        /// Whether the key is about the column alone, so that the definition of the column can have it.
        var isOfOneColumn: Bool { owners == nil && !hasCompany }

        /// What a key with owners needs of a table that is there: whether it has it, no declaration says.
        var targetUniqueness: String? {
            owners.map {
                "-- To do, unless it is there: ALTER TABLE \(reference) ADD \(TableSQL.ownerKey($0.there, of: target));"
            }
        }
    }

    var keys: [Key] {
        entity.relations.compactMap { relation in
            guard case .toOne(let column) = relation.kind,
                let home = domains.first(where: { $0.entity(named: relation.target) != nil }),
                let target = home.entity(named: relation.target), !target.isView
            else { return nil }
            return Key(
                column: column, target: target, schema: home.schema, owners: owners(and: target, column),
                hasCompany: entity.rows == .ofCompanies && target.rows == .ofCompanies,
                action: relation.isPart ? " ON DELETE CASCADE" : "")
        }
    }

    /// A foreign key does not see row-level security, so that it includes the owner where both tables have one. The record of the
    /// subject itself is its own owner.
    private func owners(and target: Entity, _ column: String) -> (here: String, there: String)? {
        for role in domain.roles {
            guard let here = entity.ownColumn(of: role), let there = target.ownColumn(of: role), there != "id",
                here != column
            else { continue }
            return (here, there)
        }
        return nil
    }

    /// What other tables' keys with owners refer to, beside the primary key.
    private var ownerKeys: [String] {
        let owners = domains.flatMap { other in
            other.entities.flatMap { TableSQL(entity: $0, domain: other, domains: domains).keys }
        }.filter { $0.target.name == entity.name }.compactMap { $0.owners?.there }
        return Set(owners).sorted().map { Self.ownerKey($0, of: entity) }
    }

    fileprivate static func ownerKey(_ owner: String, of entity: Entity) -> String {
        "CONSTRAINT \(SQLIdentifier.sql("\(entity.name)_id_\(owner)_key")) UNIQUE (\(company(of: entity))id, \(SQLIdentifier.sql(owner)))"
    }

    /// What keys and indexes of the entity's table begin with: `company_id, `; empty if its rows belong to no company.
    private static func company(of entity: Entity) -> String { entity.rows == .ofCompanies ? "company_id, " : "" }

    private var company: String { Self.company(of: entity) }

    // MARK: A new table

    /// CREATE TABLE with its columns, rules and keys, and then what every table has.
    ///
    /// - Parameter later: the foreign keys that lead to tables which are created after this one.
    func creation(without later: [Key]) -> String {
        let postponed = Set(later.map(\.column))
        let primaryKey = "CONSTRAINT \(SQLIdentifier.sql("\(entity.name)_pkey")) PRIMARY KEY"
        var lines =
            entity.rows == .ofCompanies
            ? ["company_id bigint NOT NULL DEFAULT kernel.company()", "id bigserial"] : ["id bigserial \(primaryKey)"]
        let kept = Set(["id"] + Column.bookkeeping.map(\.name))
        lines += entity.columns.filter { !kept.contains($0.name) }.map { column in
            let key = keys.first { $0.column == column.name && $0.isOfOneColumn && !postponed.contains($0.column) }
            let reference = key.map { "\($0.reference) (id)\($0.action)" }
            return column.definition(in: entity.name, referringTo: reference)
        }
        if entity.rows == .ofCompanies { lines.append("\(primaryKey) (company_id, id)") }
        lines += keys.filter { !$0.isOfOneColumn && !postponed.contains($0.column) }.map(constraint)
        lines += entity.columns.compactMap(fileKey)
        lines += entity.columns.filter(\.isUnique).map(uniqueness)
        lines += ownerKeys
        var rules: [String] = []
        for rule in entity.rules {
            // The columns of a rule say where its problem is told, which need not be all that the constraint is about.
            let columns = rule.columns.joined(separator: ", ")
            let condition = rule.constraint.hasSuffix("_key") ? "UNIQUE (\(columns))?" : "CHECK (…), over \(columns):"
            rules.append(
                """
                    -- To do: CONSTRAINT \(SQLIdentifier.sql(rule.constraint)) \(condition)
                    -- \(rule.message)
                """)
        }
        let missing = entity.columns.filter(\.lacksDefault).map { "    -- To do: the default of \($0.name)." }
        let body = lines.map { "    \($0)" }.joined(separator: ",\n")
        return """
            CREATE TABLE \(name) (
            \((rules + missing + [body]).joined(separator: "\n"))
            );
            """
    }

    /// `CONSTRAINT books_isbn_key UNIQUE (company_id, isbn)`. In a table of records of subjects, a value is unique among those of one
    /// subject.
    func uniqueness(_ column: Column) -> String {
        let owners = Set(domain.roles.compactMap(entity.ownColumn)).subtracting(["id", column.name]).sorted()
        let columns = (owners + [column.name]).map { SQLIdentifier.sql($0) }.joined(separator: ", ")
        return "CONSTRAINT \(SQLIdentifier.sql("\(entity.name)_\(column.name)_key")) UNIQUE (\(company)\(columns))"
    }

    /// `CONSTRAINT wishes_list_id_fkey FOREIGN KEY (company_id, list_id, reader_id) REFERENCES bookshop.lists (company_id, id, reader_id)`
    private func constraint(_ key: Key) -> String {
        let company = key.hasCompany ? ["company_id"] : []
        let here = company + [key.column] + (key.owners.map { [$0.here] } ?? [])
        let there = company + ["id"] + (key.owners.map { [$0.there] } ?? [])
        func list(_ names: [String]) -> String { names.map(SQLIdentifier.sql).joined(separator: ", ") }
        return "CONSTRAINT \(SQLIdentifier.sql("\(entity.name)_\(key.column)_fkey")) FOREIGN KEY (\(list(here))) "
            + "REFERENCES \(key.reference) (\(list(there)))\(key.action)"
    }

    /// `CONSTRAINT books_cover_fkey FOREIGN KEY (company_id, cover) REFERENCES kernel.files (company_id, id)`: a row names a file of
    /// its own company. Nil for a column that names no file.
    func fileKey(_ column: Column) -> String? {
        guard column.file != nil else { return nil }
        return "CONSTRAINT \(SQLIdentifier.sql("\(entity.name)_\(column.name)_fkey")) FOREIGN KEY "
            + "(\(company)\(SQLIdentifier.sql(column.name))) REFERENCES kernel.files (\(company)id)"
    }

    func addition(of key: Key) -> String { "ALTER TABLE \(name) ADD \(constraint(key));" }

    /// The column, with a foreign key and an index if it is declared to have them.
    func addition(of column: Column) -> [String] {
        let apart = keys.first { $0.column == column.name && !$0.isOfOneColumn }
        var statements = [statement(adding: column)]
        if let apart { statements += [apart.targetUniqueness, addition(of: apart)].compactMap(\.self) }
        if let key = fileKey(column) { statements.append("ALTER TABLE \(name) ADD \(key);") }
        if column.isUnique { statements.append("ALTER TABLE \(name) ADD \(uniqueness(column));") }
        statements += fileChecks.filter { $0.contains(SQLIdentifier.literal(column.name)) }
        if column.isIndexed { statements.append(index(named: column.name, [OrderTerm(column.name)]).sql) }
        return statements
    }

    private func statement(adding column: Column) -> String {
        let key = keys.first { $0.column == column.name && $0.isOfOneColumn }
        let reference = key.map { "\($0.reference) (id)\($0.action)" }
        let statement = "ALTER TABLE \(name) ADD \(column.definition(in: entity.name, referringTo: reference));"
        guard !column.isNullable, column.defaultValue == nil, !(column.hasDefault && !column.lacksDefault) else {
            return statement
        }
        return
            "-- To do: the value of \(column.name) in the rows that there are: a DEFAULT, or UPDATE before SET NOT NULL.\n"
            + statement
    }

    // MARK: What every table has

    /// The searchable text with its index; nil for a table that is not searched.
    var search: String? {
        guard let search = entity.search, search.function == "searchable" else { return nil }
        guard !search.columns.isEmpty else {
            return "-- To do: SELECT kernel.search_keep(\(quoted), …), with the text that search looks into."
        }
        let texts = search.columns.map { name in
            let column = SQLIdentifier.sql(name)
            return search.columns.count == 1 ? column : "coalesce(\(column), '')"
        }
        return "SELECT kernel.search_keep(\(quoted), "
            + SQLIdentifier.literal("kernel.without_accents(\(texts.joined(separator: " || ' ' || ")))") + ");"
    }

    /// Bookkeeping, journal, feed, indexes of foreign keys.
    var keeping: String {
        let owners = Set(domain.roles.compactMap(entity.ownColumn)).sorted()
        let secrets = entity.columns.filter { !$0.isReadable }.map(\.name)
        var arguments = [quoted]
        func array(_ names: [String]) -> String { SQLIdentifier.literal("{\(names.joined(separator: ","))}") }
        if !owners.isEmpty { arguments.append("own_columns => \(array(owners))") }
        if !secrets.isEmpty { arguments.append("secrets => \(array(secrets))") }
        if !entity.isInJournal { arguments.append("in_journal => false") }
        if !entity.isInFeed { arguments.append("in_feed => false") }
        return SQLCall.text("kernel.table_keep", arguments)
    }

    /// The checks of the files that columns name.
    var fileChecks: [String] {
        func check(_ function: String, _ names: [String], _ rule: FileRule) -> String {
            let arguments =
                [quoted] + names.map(SQLIdentifier.literal) + [String(rule.maxBytes)]
                + rule.kinds.map { SQLIdentifier.literal($0.mediaType) }
            return "SELECT \(function)(\(arguments.joined(separator: ", ")));"
        }
        return entity.columns.flatMap { column in
            (column.file.map { [check("kernel.file_keep", [column.name], $0)] } ?? [])
                + column.listedFiles.map { check("kernel.file_list_keep", [column.name, $0.member ?? ""], $0.rule) }
        }
    }

    /// What keeps a company from having a second row; nil for other tables.
    var singleIndex: String? {
        guard entity.isSingle else { return nil }
        return
            "CREATE UNIQUE INDEX \(SQLIdentifier.sql("\(entity.name)_single_idx")) ON \(name) (\(entity.rows == .ofCompanies ? "company_id" : "(true)"));"
    }

    /// The indexes of the default order and of columns that are declared to have one, and whether they need columns that
    /// `kernel.table_keep` adds.
    var orderIndexes: [(sql: String, needsBookkeeping: Bool)] {
        var indexes: [(sql: String, needsBookkeeping: Bool)] = []
        let terms = entity.defaultOrder
        if let first = terms.first, first.path != "id", terms.allSatisfy({ entity.column(named: $0.path) != nil }) {
            indexes.append(index(named: first.path, terms))
        }
        for column in entity.columns where column.isIndexed && column.name != terms.first?.path {
            indexes.append(index(named: column.name, [OrderTerm(column.name)]))
        }
        return indexes
    }

    private func index(named name: String, _ terms: [OrderTerm]) -> (sql: String, needsBookkeeping: Bool) {
        let isTotal = terms.contains { $0.path == "id" }
        let parts = (terms + (isTotal ? [] : [OrderTerm("id")])).map { term in
            guard let column = entity.column(named: term.path) else { return term.path }
            let name = SQLIdentifier.sql(term.path)
            let value =
                switch column.type {
                // The server orders long texts by their beginning.
                case .text(nil): "left(\(name), \(FieldType.indexedPrefixLength)) COLLATE public.francais"
                case .text: "\(name) COLLATE public.francais"
                default: name
                }
            return value + (term.isDescending ? " DESC" : "")
        }
        let sql =
            "CREATE INDEX \(SQLIdentifier.sql("\(entity.name)_\(name)_idx")) ON \(self.name) (\(company)\(parts.joined(separator: ", ")));"
        return (sql, terms.contains { term in Column.bookkeeping.contains { $0.name == term.path } })
    }
}

extension Entity {
    /// The column that says which records are those of the role; nil if it has no right, or one to every record.
    fileprivate func ownColumn(of role: Role) -> String? {
        for operation in Operation.allCases {
            if case .own(let column)? = access.reach(of: role, for: operation) { return column }
        }
        return nil
    }
}
