package import DomainKit
import QueryCompiler
package import RPCServer

/// A migration that brings a database from where it is to what a domain declares: tables, columns, rights, and the functions that
/// are still to be written. Its author reads it, changes it and owns it.
///
/// What no declaration says is left to the author, in lines that begin with `-- To do`.
package struct DomainMigration {
    /// The statements of the numbered file; empty if the database has all that is declared.
    package let statements: [String]
    /// The files of `functions/` that are missing.
    package let functions: [FunctionFile]
    /// What the statements lock, for the head of the file.
    package let locks: String

    package var isEmpty: Bool { statements.isEmpty && functions.isEmpty }

    /// - Parameters:
    ///   - domain: the domain.
    ///   - domains: every served domain.
    ///   - errors: what the database lacks of it (``SchemaConventions``); nil: it has nothing yet.
    package init(of domain: Domain, among domains: [Domain], lacking errors: [ConventionError]?) {
        var writing = Writing(domain: domain, domains: domains)
        let tables = domain.entities.filter { !$0.isView }
        let missing = errors.map { errors in
            errors.count { error in if case .noTable = error { true } else { false } }
        }
        // A database without any of the tables has none of the functions that take their rows.
        if let errors, tables.isEmpty || missing != tables.count {
            writing.add(errors)
        } else {
            writing.create(tables)
            writing.addFunctions()
        }
        statements = writing.statements
        functions = writing.functions
        let changed = writing.changed.sorted()
        locks =
            changed.isEmpty
            ? "nothing that exists before it" : "\(changed.joined(separator: ", ")) against everything, for a moment"
    }

    /// The text of the file `name`, as `migrations/<domain>/<name>` has it.
    package func text(of name: String, in domain: Domain, safeFrom version: String) -> String {
        """
        -- To do: what this is for.
        --
        -- Safe from: \(version)
        -- Locks: \(locks)

        \(statements.joined(separator: "\n"))

        INSERT INTO kernel.migrations (domain, name) VALUES ('\(domain.name)', '\(name)') ON CONFLICT DO NOTHING;

        """
    }
}

/// The statements so far.
private struct Writing {
    let domain: Domain
    let domains: [Domain]
    var statements: [String] = []
    var functions: [FunctionFile] = []
    /// The tables of before that the statements lock.
    var changed: Set<String> = []

    private func table(_ entity: Entity) -> TableSQL { TableSQL(entity: entity, domain: domain, domains: domains) }

    private func entity(_ table: String) -> Entity? {
        domain.entities.first { "\(domain.schema).\($0.name)" == table }
    }

    // MARK: New tables

    /// The schema, the roles, and these tables with all that belongs to them.
    mutating func create(_ entities: [Entity]) {
        guard !entities.isEmpty else { return }
        let isNew = entities.count == domain.entities.filter { !$0.isView }.count
        if isNew {
            if domain.schema != "public" { statements.append("CREATE SCHEMA \(SQLIdentifier.sql(domain.schema));") }
            statements += domain.roles.filter { !Role.base.contains($0) }.map {
                "SELECT kernel.role_keep(\(SQLIdentifier.literal($0.databaseRole)));"
            }
        }
        var created: Set<String> = []
        let new = Set(entities.map(\.name))
        var postponed: [(TableSQL, TableSQL.Key)] = []
        for entity in inOrderOfKeys(entities) {
            let table = table(entity)
            created.insert(entity.name)
            let later = table.keys.filter { new.contains($0.target.name) && !created.contains($0.target.name) }
            postponed += later.map { (table, $0) }
            statements.append("")
            statements.append(table.creation(without: later))
            // What reads a foreign key in the default order has its index: the key gets no other.
            let indexes = table.orderIndexes
            statements += [table.search].compactMap(\.self) + indexes.filter { !$0.isKept }.map(\.sql)
            statements += [table.keeping] + table.fileChecks + indexes.filter(\.isKept).map(\.sql)
        }
        if !postponed.isEmpty { statements.append("") }
        for (table, key) in postponed { statements.append(table.addition(of: key)) }
        if !postponed.isEmpty {
            statements.append("-- The indexes of these keys.")
            statements += Set(postponed.map(\.0.keeping)).sorted()
        }
        let rights = entities.flatMap { entity in domain.roles.flatMap { table(entity).rights(of: $0) } }
        if !rights.isEmpty { statements.append("\n-- What Access says.") }
        statements += rights
        if isNew, !domain.commands.isEmpty { addCommandsRole() }
    }

    /// The tables that others refer to first, as far as they do not refer to each other.
    private func inOrderOfKeys(_ entities: [Entity]) -> [Entity] {
        var waiting = entities
        var ordered: [Entity] = []
        while !waiting.isEmpty {
            let names = Set(waiting.map(\.name))
            let next = waiting.firstIndex { entity in
                !table(entity).keys.contains { $0.target.name != entity.name && names.contains($0.target.name) }
            }
            ordered.append(waiting.remove(at: next ?? 0))
        }
        return ordered
    }

    /// The owner of the commands' functions, with rights to what they name and answer.
    private mutating func addCommandsRole() {
        let role = SQLIdentifier.literal("learntrack_\(domain.name)_commands")
        statements += [
            "", "-- The role in which the functions of commands run. To do: the rights to what they read and write.",
            "SELECT kernel.commands_role(\(SQLIdentifier.literal(domain.name)));",
        ]
        let answered = Set(domain.commands.compactMap(\.answeredEntity))
        let named = Set(domain.commands.flatMap { command in command.parameters.compactMap(\.target) })
        for entity in domain.entities where !entity.isView {
            if answered.contains(entity.name) {
                statements.append(
                    "SELECT kernel.rights_keep(\(table(entity).quoted), \(role), readable => '*', created => '*', updated => '*');"
                )
            } else if named.contains(entity.name) {
                statements.append("SELECT kernel.rights_keep(\(table(entity).quoted), \(role), readable => '*');")
            }
        }
    }

    mutating func addFunctions() {
        for entity in domain.entities {
            if entity.isView {
                functions.append(domain.file(of: entity))
            } else {
                functions += entity.derived.compactMap { field in
                    field.function.map { domain.file(of: field, $0, on: entity) }
                }
            }
        }
        functions += domain.commands.map { domain.file(of: $0) }
        functions += domain.jobs.map { domain.file(ofWorker: $0.function, "", for: "The job \($0.name).") }
        functions += domain.notices.flatMap { notice in
            (notice.functions.map { ($0, "bigint") }
                + [notice.sent, notice.failed].compactMap(\.self).map { ($0, "bigint, jsonb") })
                .map { domain.file(ofWorker: $0.0, $0.1, for: "The notice \(notice.name).") }
        }
    }

    // MARK: What is missing

    mutating func add(_ errors: [ConventionError]) {
        create(
            errors.compactMap { error in
                if case .noTable(let table) = error { entity(table) } else { nil }
            })
        var kept: Set<String> = []
        var grants: [String] = []
        for error in errors { add(error, &kept, &grants) }
        statements += grants
    }

    /// - Parameters:
    ///   - kept: the tables for which `kernel.table_keep` is called already.
    ///   - grants: the statements that give rights, which follow all others: they name columns.
    private mutating func add(_ error: ConventionError, _ kept: inout Set<String>, _ grants: inout [String]) {
        switch error {
        case .noTable: break
        case .noColumn(let name, let table):
            guard let entity = entity(table) else { return addFunction(named: table) }
            changed.insert(table)
            guard let column = entity.column(named: name), !Column.bookkeeping.contains(column) else {
                return keep(table, &kept)
            }
            statements.append(self.table(entity).addition(of: column))
            statements += self.table(entity).fileChecks.filter { $0.contains(SQLIdentifier.literal(name)) }
            if self.table(entity).keys.contains(where: { $0.column == name }) || column.file != nil {
                keep(table, &kept)
            }
            for role in domain.roles { grant(role.databaseRole, table, &grants) }
        case .notUnique(let name, let table):
            changed.insert(table)
            guard let entity = entity(table), let column = entity.column(named: name) else { return }
            statements.append("ALTER TABLE \(table) ADD \(self.table(entity).uniqueness(column));")
        case .otherLimit(let column, let declared, _, let table):
            changed.insert(table)
            let type = FieldType.text(maxLength: declared).columnType
            statements.append("ALTER TABLE \(table) ALTER COLUMN \(SQLIdentifier.sql(column)) TYPE \(type);")
        case .notKept(_, let table), .noIndex(_, let table):
            changed.insert(table)
            keep(table, &kept)
        case .noGrant(_, _, let role, let object): grant(role, object, &grants)
        case .noPolicy(_, let role, let table): grant(role, table, &grants)
        case .noFileCheck(let column, let table):
            changed.insert(table)
            guard let entity = entity(table) else { return }
            statements += self.table(entity).fileChecks.filter { $0.contains(SQLIdentifier.literal(column)) }
        case .noFileKey(let column, let table):
            changed.insert(table)
            let name = table.split(separator: ".").last.map(String.init) ?? table
            statements.append(
                "ALTER TABLE \(table) ADD CONSTRAINT \(SQLIdentifier.sql("\(name)_\(column)_fkey")) "
                    + "FOREIGN KEY (\(SQLIdentifier.sql(column))) REFERENCES kernel.files (id);")
            keep(table, &kept)
        case .noRowFunction(let function, let table):
            guard let entity = entity(table) else { return }
            if let field = entity.derived.first(where: { $0.function == function }) {
                functions.append(domain.file(of: field, function, on: entity))
            } else if entity.search?.function == function {
                changed.insert(table)
                statements += [self.table(entity).search].compactMap(\.self)
            }
        case .noCommandFunction(_, let name), .notCommandsOwn(_, let name):
            guard let command = domain.commands.first(where: { $0.name == name }) else { return }
            functions.append(domain.file(of: command))
        case .noFunction(let function), .noParameter(_, let function): addFunction(named: function)
        case .noWorkerFunction(let signature, let name):
            let parts = signature.split(separator: "(")
            let parameters = parts.count > 1 ? String(parts[1].dropLast()) : ""
            guard
                domain.jobs.contains(where: { $0.name == name }) || domain.notices.contains(where: { $0.name == name })
            else { return }
            functions.append(domain.file(ofWorker: String(parts[0]), parameters, for: "\(name)."))
        case .unlabelled, .unknownTitle: break
        case .otherType, .otherNullability, .noSequence, .unknownRule, .foreignKeyWithoutOwner, .foreignKeyToUnread,
            .comparisonWithOthers, .noSuccessorFunction:
            statements.append("-- To do: \(error.mistake); \(error.remedy)")
        }
    }

    private mutating func addFunction(named function: String) {
        guard let view = domain.entities.first(where: { $0.isView && "\(domain.schema).\($0.sourceName)" == function }),
            !functions.contains(where: { $0.name == "\(view.sourceName).sql" })
        else { return }
        functions.append(domain.file(of: view))
    }

    private mutating func keep(_ table: String, _ kept: inout Set<String>) {
        guard let entity = entity(table), kept.insert(table).inserted else { return }
        statements.append(self.table(entity).keeping)
    }

    /// - Parameter object: the table, or a schema or a sequence with the word before it.
    private mutating func grant(_ databaseRole: String, _ object: String, _ grants: inout [String]) {
        guard let role = domain.roles.first(where: { $0.databaseRole == databaseRole }) else { return }
        var needed: [String]
        if let entity = entity(object) {
            changed.insert(object)
            needed = table(entity).rights(of: role)
        } else {
            needed = ["GRANT USAGE ON \(object) TO \(SQLIdentifier.sql(databaseRole));"]
        }
        if !Role.base.contains(role), !needed.isEmpty {
            needed.insert("SELECT kernel.role_keep(\(SQLIdentifier.literal(databaseRole)));", at: 0)
        }
        grants += needed.filter { !grants.contains($0) }
    }
}

extension Command {
    fileprivate var answeredEntity: String? {
        switch answers {
        case .record(let entity), .records(let entity, _): entity
        case .value, .nothing: nil
        }
    }
}
