import Auth
import DomainKit
import FoundationEssentials
import JSON

/// Validates all rows of a source before any of them is written, by the rules of the domain, which are also those of the
/// database.
struct ImportReview {
    /// A valid row: its values by column, in Postgres's text format.
    struct Row: Sendable, Equatable {
        let id: Int64
        var values: [String: String?]
        /// For a user with a password.
        var passwordHash: String?
    }

    /// The records that are in the database already.
    struct ExistingRecords: Sendable {
        /// By table.
        var ids: [String: Set<Int64>] = [:]
        /// The ids that an earlier import created, by table.
        var imported: [String: Set<Int64>] = [:]
        /// The records that have taken the place of imported ones, by table and the id of the imported record.
        var successors: [String: [Int64: Int64]] = [:]
        /// The ids of users by their e-mail in lower case.
        var emails: [String: Int64] = [:]
        /// The ids of users by their account of Supabase Auth.
        var supabaseIDs: [String: Int64] = [:]
    }

    /// The table of accounts, and its column of a source that has passwords there.
    static let accounts = "users"
    static let passwordHash = "password_hash"
    /// What JavaScript reads exactly. Further ids follow the largest one that was imported, so it leaves them half of that.
    private static let largestID: Int64 = 1 << 52

    /// The tables in an order in which each refers to earlier ones only.
    static let order = [accounts, "ecoles", "clients", "formateurs", "sessions"]

    /// The columns of a source that are imported into an entity.
    static func columns(of entity: Entity) -> [String] {
        entity.columns.filter { $0.name == "id" || isTaken($0) }.map(\.name)
            + (entity.name == accounts ? [passwordHash] : [])
    }

    private static func isTaken(_ column: Column) -> Bool {
        column.access != .readOnly || column.name == "created_at" || column.name == "updated_at"
    }

    let entities: [String: Entity]
    let existing: ExistingRecords
    /// Whether an empty text in a column that may be null counts as null.
    let emptyIsNull: Bool

    private(set) var rows: [String: [Row]] = [:]
    /// The imported columns, by table.
    private(set) var columns: [String: [String]] = [:]
    private(set) var alreadyHere: [String: Int] = [:]
    private(set) var problems: [ImportProblem] = []
    private(set) var notes: [String] = []
    private var accounts = SupabaseAccounts()
    private var accepted: [String: Set<Int64>] = [:]

    init(_ source: ImportSource, entities: [String: Entity], existing: ExistingRecords, emptyIsNull: Bool)
        throws(ApplicationImportError)
    {
        self.entities = entities
        self.existing = existing
        self.emptyIsNull = emptyIsNull
        guard Self.order.contains(where: { source["public." + $0] != nil }) else {
            throw ApplicationImportError(
                "the source has none of \(Self.order.map { source.prefix + $0 }.joined(separator: ", "))")
        }
        accounts = SupabaseAccounts(source["auth.users"])
        for name in Self.order {
            guard let entity = entities[name] else { throw ApplicationImportError("this service has no \(name)") }
            guard let table = source["public." + name] else {
                notes.append("\(source.prefix)\(name) is missing")
                continue
            }
            review(table, of: entity, prefix: source.prefix)
        }
        let unused = accounts.unused
        if unused > 0 {
            notes.append("\(unused) of auth.users have no row in public.users and are not imported")
        }
    }

    private mutating func review(_ table: SourceTable, of entity: Entity, prefix: String) {
        let taken = table.columns.filter { entity.column(named: $0).map(Self.isTaken) ?? false }
        let hasPasswords = entity.name == Self.accounts && table.index(of: Self.passwordHash) != nil
        for column in table.columns where column != "id" && column != "version" && !taken.contains(column) {
            if hasPasswords && column == Self.passwordHash { continue }
            notes.append("\(prefix)\(entity.name).\(column) has no counterpart here and is not imported")
        }
        // Columns that the linked account of Supabase Auth supplies.
        let added =
            entity.name == "users" ? ["email", "supabase_user_id", "is_active"].filter { !taken.contains($0) } : []
        columns[entity.name] = taken + added
        var seen: Set<Int64> = []
        var good: [Row] = []
        for fields in table.rows {
            let problemCount = problems.count
            let idText = table.index(of: "id").flatMap { fields[$0] }
            guard let id = idText.flatMap({ Int64($0) }), 1...Self.largestID ~= id else {
                report(.invalidID, entity, idText ?? "?", "id")
                continue
            }
            guard seen.insert(id).inserted else {
                report(.duplicateID, entity, "\(id)", "id")
                continue
            }
            if existing.imported[entity.name]?.contains(id) == true {
                alreadyHere[entity.name, default: 0] += 1
                if entity.name == "users" { accounts.use(fields, of: table) }
                continue
            }
            if existing.ids[entity.name]?.contains(id) == true {
                report(.existingID, entity, "\(id)", "id")
            }
            var row = Row(id: id, values: values(fields, of: table, taken: taken))
            if entity.name == "users" { complete(&row, fields, of: table, entity) }
            check(row, of: entity)
            followMerges(&row, of: entity)
            guard problems.count == problemCount else { continue }
            good.append(row)
            if entity.name == "users" { rows[entity.name] = good }
        }
        rows[entity.name] = good
        accepted[entity.name] = Set(good.map(\.id))
    }

    private func values(_ fields: [String?], of table: SourceTable, taken: [String]) -> [String: String?] {
        var values: [String: String?] = [:]
        for name in taken {
            guard let index = table.index(of: name) else { continue }
            let isEmpty = emptyIsNull && fields[index] == ""
            values[name] = .some(isEmpty ? nil : fields[index])
        }
        return values
    }

    /// Replaces references to records that others have absorbed since they were imported.
    private func followMerges(_ row: inout Row, of entity: Entity) {
        for relation in entity.relations {
            guard case .toOne(let column) = relation.kind, let text = row.values[column] ?? nil, let id = Int64(text),
                let successor = existing.successors[relation.target]?[id]
            else { continue }
            row.values[column] = String(successor)
        }
    }

    // MARK: Rules

    private mutating func check(_ row: Row, of entity: Entity) {
        let written = row.values.keys.sorted().compactMap { name -> JSONObject.Member? in
            guard let column = entity.column(named: name), column.access != .readOnly else { return nil }
            return .init(name, column.type.value(ofPostgresText: row.values[name] ?? nil))
        }
        for problem in entity.problems(in: JSONObject(written), for: .create, at: "") {
            let column = problem.path.isEmpty ? nil : String(problem.path.dropFirst())
            let type = column.flatMap { entity.column(named: $0)?.type }
            let text = column.flatMap { row.values[$0] ?? nil }
            report(
                .invalidValue(code: problem.code.rawValue, message: problem.message(inFile: text, of: type)), entity,
                "\(row.id)", column)
        }
        for relation in entity.relations {
            guard case .toOne(let column) = relation.kind, let text = row.values[column] ?? nil, let id = Int64(text)
            else {
                continue
            }
            let exists =
                accepted[relation.target]?.contains(id) == true
                || existing.imported[relation.target]?.contains(id) == true
                    && existing.ids[relation.target]?.contains(id) == true
                || existing.successors[relation.target]?[id] != nil
            if !exists {
                report(.missingReference(table: relation.target, id: id), entity, "\(row.id)", column)
            }
        }
        if entity.name == "users" { checkUniqueness(of: row, entity) }
    }

    private mutating func checkUniqueness(of row: Row, _ entity: Entity) {
        for (column, known) in [("email", existing.emails), ("supabase_user_id", existing.supabaseIDs)] {
            guard let value = (row.values[column] ?? nil)?.lowercased() else { continue }
            let twin = rows["users"]?.first { ($0.values[column] ?? nil)?.lowercased() == value }?.id
            if let other = twin ?? known[value] {
                report(.valueOfAccount(other), entity, "\(row.id)", column)
            }
        }
    }

    private mutating func report(
        _ reason: ImportProblem.Reason, _ entity: Entity, _ row: String, _ column: String?
    ) {
        problems.append(ImportProblem(table: entity.name, row: row, column: column, reason: reason))
    }

    // MARK: Accounts

    /// Adds to a user what its account of Supabase Auth holds: the link, the e-mail, the password hash, whether it is barred.
    private mutating func complete(_ row: inout Row, _ fields: [String?], of table: SourceTable, _ entity: Entity) {
        var values = row.values
        if values["is_active"] ?? nil == nil { values["is_active"] = .some("true") }
        if let index = table.index(of: Self.passwordHash) {
            let hash = fields[index].flatMap { PasswordHash.isUsable($0) ? $0 : nil }
            if hash == nil { notes.append("users \(row.id) has no password of a supported kind: set one by a reset") }
            row = Row(id: row.id, values: values, passwordHash: hash)
            return
        }
        guard let account = accounts.use(fields, of: table) else {
            notes.append("users \(row.id) has no account in auth.users: set the password by a reset")
            row = Row(id: row.id, values: values)
            return
        }
        if values["email"] ?? nil == nil { values["email"] = account.email }
        if values["supabase_user_id"] ?? nil == nil { values["supabase_user_id"] = account.id }
        if account.isBarred {
            values["is_active"] = .some("false")
            notes.append("users \(row.id) is banned or deleted in Supabase: imported as deactivated")
        }
        var hash = account.passwordHash
        if let stored = hash, !PasswordHash.isUsable(stored) {
            hash = nil
        }
        if hash == nil {
            notes.append("users \(row.id) has no password of a supported kind: set one by a reset")
        }
        row = Row(id: row.id, values: values, passwordHash: hash)
    }
}

extension FieldType {
    /// The JSON form of a value in Postgres's text format, which the rules of the domain take.
    fileprivate func value(ofPostgresText text: String?) -> JSONValue {
        guard let text else { return .null }
        switch self {
        case .bigint, .integer, .smallint, .decimal: return .number(text)
        case .boolean:
            switch text {
            case "t", "true": return true
            case "f", "false": return false
            default: return .string(text)
            }
        case .text, .choice, .date, .time, .timestamp, .uuid, .json: return .string(text)
        }
    }
}
