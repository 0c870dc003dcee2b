import DomainKit
import QueryCompiler
import RPCServer

extension Domain {
    /// What a database lacks that has nothing of the domain.
    var everythingMissing: [ConventionError] {
        let tables = entities.map { entity -> ConventionError in
            entity.isView ? .noFunction("\(schema).\(entity.sourceName)") : .noTable("\(schema).\(entity.name)")
        }
        let workers =
            jobs.map { ConventionError.noWorkerFunction("\($0.function)()", of: $0.name) }
            + notices.flatMap { notice in
                (notice.functions.map { "\($0)(bigint)" }
                    + [notice.sent, notice.failed].compactMap(\.self).map { "\($0)(bigint, jsonb)" })
                    .map { ConventionError.noWorkerFunction($0, of: notice.name) }
            }
        return tables + commands.map { .noCommandFunction($0.function, command: $0.name) } + workers
    }
}

/// The statements of a migration, in the order in which they need each other: the schema and the roles, new tables, changes of others,
/// rights, the role of the commands.
struct Writing {
    let domain: Domain
    let domains: [Domain]
    private var tables: [String] = []
    private var changes: [String] = []
    private var grants: [String] = []
    private var commands: [String] = []
    private(set) var functions: [FunctionFile] = []
    /// The tables of before that the statements change.
    private(set) var changed: Set<String> = []
    /// The tables of before to which new foreign keys lead.
    private(set) var referenced: Set<String> = []
    /// The tables whose keys do not begin with the company. They may refer to each other.
    private var withoutCompany: [String] = []
    /// The tables for which the migration calls `kernel.table_keep`.
    private var withTableKeep: Set<String> = []
    private var isSchemaNew = false

    init(domain: Domain, domains: [Domain]) {
        self.domain = domain
        self.domains = domains
    }

    var statements: [String] {
        var all: [String] = []
        if isSchemaNew, domain.schema != "public" {
            all.append("CREATE SCHEMA IF NOT EXISTS \(SQLIdentifier.sql(domain.schema));")
        }
        if !grants.isEmpty {
            all += domain.roles.filter { !Role.base.contains($0) }.map {
                "SELECT kernel.role_keep(\(SQLIdentifier.literal($0.databaseRole)));"
            }
        }
        all += tables
        if !withoutCompany.isEmpty {
            all.append(SQLCall.text("kernel.company_keep", withoutCompany.map(SQLIdentifier.literal)))
            // It leaves tables without GIN indexes as they are.
            all.append(SQLCall.text("kernel.company_gin", withoutCompany.map(SQLIdentifier.literal)))
        }
        all += changes
        if !grants.isEmpty { all += ["", "-- What Access says."] + grants }
        return all + commands
    }

    private func table(_ entity: Entity) -> TableSQL { TableSQL(entity: entity, domain: domain, domains: domains) }

    private func entity(_ table: String) -> Entity? {
        domain.entities.first { !$0.isView && "\(domain.schema).\($0.name)" == table }
    }

    mutating func add(_ errors: [ConventionError]) {
        let new = errors.compactMap { error in
            if case .noTable(let table) = error { entity(table) } else { nil }
        }
        isSchemaNew = new.count == domain.entities.count { !$0.isView } && !errors.isEmpty
        create(new)
        for error in errors { add(error) }
        addCommandsRole(for: errors)
    }

    // MARK: New tables

    private mutating func create(_ entities: [Entity]) {
        let new = Set(entities.map(\.name))
        var created: Set<String> = []
        var postponed: [(TableSQL, TableSQL.Key)] = []
        for entity in inOrderOfKeys(entities) {
            let table = table(entity)
            created.insert(entity.name)
            let later = table.keys.filter { new.contains($0.target.name) && !created.contains($0.target.name) }
            postponed += later.map { (table, $0) }
            let older = table.keys.filter { !new.contains($0.target.name) }
            referenced.formUnion(older.map { "\($0.schema).\($0.target.name)" })
            tables += older.compactMap(\.targetUniqueness).map { "\n\($0)" }
            tables += ["", table.creation(without: later)]
            // An index of the default order may serve a foreign key, which then gets no other.
            let indexes = table.orderIndexes
            tables += [table.search].compactMap(\.self) + indexes.filter { !$0.needsBookkeeping }.map(\.sql)
            tables +=
                [table.singleIndex].compactMap(\.self) + [table.keeping] + table.fileChecks
                + indexes.filter(\.needsBookkeeping).map(\.sql)
            functions += entity.derived.compactMap { field in
                field.function.map { domain.file(of: field, $0, on: entity) }
            }
        }
        if !postponed.isEmpty {
            tables += ["", "-- Keys to tables that are created after theirs, and the indexes of these keys."]
            tables += postponed.map { $0.0.addition(of: $0.1) } + Set(postponed.map(\.0.keeping)).sorted()
        }
        grants += entities.flatMap { entity in domain.roles.flatMap { table(entity).rights(of: $0) } }
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

    // MARK: What tables lack

    private mutating func add(_ error: ConventionError) {
        switch error {
        case .noTable, .unlabelled, .unknownTitle: break
        case .noColumn(let name, let table):
            guard let entity = entity(table) else { return leave(error) }
            changed.insert(table)
            guard let column = entity.column(named: name), !Column.bookkeeping.contains(column) else {
                return keep(entity)
            }
            add(column, to: entity)
        case .otherLimit(let column, let declared, _, let table):
            changed.insert(table)
            let type = FieldType.text(maxLength: declared).columnType
            changes.append("ALTER TABLE \(table) ALTER COLUMN \(SQLIdentifier.sql(column)) TYPE \(type);")
        case .notUnique(let name, let table):
            guard let entity = entity(table), let column = entity.column(named: name) else { return leave(error) }
            changed.insert(table)
            changes.append("ALTER TABLE \(table) ADD \(self.table(entity).uniqueness(column));")
        case .notSingle(let table):
            guard let entity = entity(table), let index = self.table(entity).singleIndex else { return leave(error) }
            changed.insert(table)
            changes.append(index)
        case .noCompany(_, _, let table):
            changed.insert(table)
            withoutCompany.append(table)
        case .notKept(_, let table), .noIndex(_, let table):
            guard let entity = entity(table) else { return leave(error) }
            changed.insert(table)
            keep(entity)
        case .noFileKey(let name, let table):
            guard let entity = entity(table), let column = entity.column(named: name),
                let key = self.table(entity).fileKey(column)
            else { return leave(error) }
            changed.insert(table)
            referenced.insert("kernel.files")
            let addition = "ALTER TABLE \(table) ADD \(key);"
            // A column that is missing itself comes with its key.
            if !changes.contains(addition) { changes.append(addition) }
            keep(entity)
        case .noFileCheck(let column, let table):
            guard let entity = entity(table) else { return leave(error) }
            changed.insert(table)
            changes += self.table(entity).fileChecks.filter { $0.contains(SQLIdentifier.literal(column)) }
        case .noGrant(let privilege, let columns, let role, let object):
            let list = columns.isEmpty ? "" : " (\(columns))"
            grants.append("GRANT \(privilege)\(list) ON \(object) TO \(SQLIdentifier.sql(role));")
        case .noPolicy(let privilege, let name, let table):
            guard let entity = entity(table), let role = domain.roles.first(where: { $0.databaseRole == name }),
                let operation = Self.operations[privilege]
            else { return leave(error) }
            changed.insert(table)
            grants += self.table(entity).rights(of: role, to: [operation])
        case .noRowFunction(let function, let table):
            guard let entity = entity(table) else { return leave(error) }
            if let field = entity.derived.first(where: { $0.function == function }) {
                functions.append(domain.file(of: field, function, on: entity))
            } else if entity.search?.function == function, let search = self.table(entity).search {
                changed.insert(table)
                changes.append(search)
            } else {
                leave(error)
            }
        case .noCommandFunction(_, let name):
            guard let command = domain.commands.first(where: { $0.name == name }) else { return leave(error) }
            functions.append(domain.file(of: command))
        case .noFunction(let function):
            let view = domain.entities.first { $0.isView && "\(domain.schema).\($0.sourceName)" == function }
            guard let view else { return leave(error) }
            functions.append(domain.file(of: view))
        case .noWorkerFunction(let signature, let name):
            let parts = signature.split(separator: "(")
            let parameters = parts.count > 1 ? String(parts[1].dropLast()) : ""
            functions.append(domain.file(ofWorker: String(parts[0]), parameters, for: "\(name)."))
        case .otherType, .otherNullability, .otherDeletion, .noSequence, .unknownRule, .foreignKeyWithoutOwner,
            .foreignKeyToUnread,
            .comparisonWithOthers, .noSuccessorFunction, .noParameter, .notCommandsOwn, .notApart:
            leave(error)
        }
    }

    private static let operations: [String: Operation] = [
        "SELECT": .read, "INSERT": .create, "UPDATE": .update, "DELETE": .delete,
    ]

    /// Leaves a mistake to the author: a statement would need what no declaration says, or replace what the author has written.
    private mutating func leave(_ error: ConventionError) {
        changes.append("-- To do: \(error.mistake);\n-- \(error.remedy)")
    }

    /// A column with its keys, its index and the rights of each role. Policies stay as they are.
    private mutating func add(_ column: Column, to entity: Entity) {
        let table = table(entity)
        changes += table.addition(of: column)
        let key = table.keys.first { $0.column == column.name }
        if let key { referenced.insert("\(key.schema).\(key.target.name)") }
        if column.file != nil { referenced.insert("kernel.files") }
        // The journal hides the values of a column that no call reads.
        if key != nil || column.file != nil || !column.isReadable { keep(entity) }
        for role in domain.roles {
            func grant(_ operation: Operation, _ privilege: String, _ applies: Bool) {
                guard applies, entity.access.allows(operation, to: role) else { return }
                grants.append(
                    "GRANT \(privilege) (\(SQLIdentifier.sql(column.name))) ON \(table.name) TO "
                        + "\(SQLIdentifier.sql(role.databaseRole));")
            }
            if !column.isReadable, entity.access.allows(.read, to: role) {
                // A right to read the table would reach the new column, too.
                grants += table.rights(of: role, to: [.read])
            }
            grant(.read, "SELECT", column.isReadable)
            grant(.create, "INSERT", entity.writableColumns(for: .create).contains(column))
            grant(.update, "UPDATE", entity.writableColumns(for: .update).contains(column))
        }
    }

    private mutating func keep(_ entity: Entity) {
        guard withTableKeep.insert(entity.name).inserted else { return }
        changes.append(table(entity).keeping)
    }

    // MARK: Commands

    /// The role in which the missing functions are to run, with rights to what they name and answer.
    private mutating func addCommandsRole(for errors: [ConventionError]) {
        var missing: [Command] = []
        var hasWorkers = false
        for error in errors {
            switch error {
            case .noCommandFunction(_, let name): missing += domain.commands.filter { $0.name == name }
            case .noWorkerFunction: hasWorkers = true
            default: break
            }
        }
        guard !missing.isEmpty || hasWorkers else { return }
        let role = SQLIdentifier.literal("learntrack_\(domain.name)_commands")
        // The functions of other commands are still to be written.
        let others = missing.filter { command in !domain.entities.contains { command.opens($0) } }
        let duty = others.isEmpty && !hasWorkers ? "" : " To do: the rights to what they read and write."
        commands = [
            "", "-- The role in which the functions of commands run.\(duty)",
            "SELECT kernel.commands_role(\(SQLIdentifier.literal(domain.name)));",
        ]
        let answered = Set(others.compactMap(\.answeredEntity))
        let named = Set(missing.flatMap { command in command.parameters.compactMap(\.target) })
        for entity in domain.entities where !entity.isView {
            var arguments = [table(entity).quoted, role, "readable => '*'"]
            let isOpened = missing.contains { $0.opens(entity) }
            if answered.contains(entity.name) || isOpened { arguments.append("created => '*'") }
            if answered.contains(entity.name) { arguments.append("updated => '*'") }
            guard answered.contains(entity.name) || isOpened || named.contains(entity.name) else { continue }
            commands.append(SQLCall.text("kernel.rights_keep", arguments))
        }
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
