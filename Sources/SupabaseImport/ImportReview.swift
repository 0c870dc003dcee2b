import Auth
import DomainKit
import Foundation

/// Looks through all rows of a source before anything is written, and says of each what this service would refuse: by
/// the rules of the domain, which the database's are equal to.
struct ImportReview {
    /// A row that may be imported: its values by column, as Postgres's text.
    struct Row: Sendable, Equatable {
        let id: Int64
        let values: [String: String?]
        /// Of a user: what they sign in with.
        var passwordHash: String?
    }

    /// What the database holds already.
    struct Present: Sendable {
        /// By table.
        var ids: [String: Set<Int64>] = [:]
        /// Those that an earlier import brought.
        var imported: [String: Set<Int64>] = [:]
        /// Users by their e-mail in lower case.
        var emails: [String: Int64] = [:]
        var supabaseIDs: [String: Int64] = [:]
    }

    /// Tables in the order in which they may refer to each other.
    static let order = ["users", "ecoles", "clients", "formateurs", "sessions"]

    let entities: [String: Entity]
    let present: Present
    /// Whether an empty text in a column that may be null counts as null.
    let emptyIsNull: Bool

    private(set) var rows: [String: [Row]] = [:]
    /// The source's columns that are imported, by table.
    private(set) var columns: [String: [String]] = [:]
    private(set) var alreadyHere: [String: Int] = [:]
    private(set) var refusals: [ImportProblem] = []
    private(set) var notes: [String] = []
    private var accounts = SupabaseAccounts()
    private var accepted: [String: Set<Int64>] = [:]

    init(_ source: SupabaseSource, entities: [String: Entity], present: Present, emptyIsNull: Bool)
        throws(SupabaseImportError)
    {
        self.entities = entities
        self.present = present
        self.emptyIsNull = emptyIsNull
        guard Self.order.contains(where: { source["public." + $0] != nil }) else {
            throw SupabaseImportError("none of \(Self.order.map { "public." + $0 }.joined(separator: ", ")) is there")
        }
        accounts = SupabaseAccounts(source["auth.users"])
        for name in Self.order {
            guard let entity = entities[name] else { throw SupabaseImportError("this service has no \(name)") }
            guard let table = source["public." + name] else {
                notes.append("public.\(name) is not there")
                continue
            }
            look(through: table, of: entity)
        }
        let unused = accounts.unused
        if unused > 0 {
            notes.append("\(unused) of auth.users have no row in public.users and are not imported")
        }
    }

    private mutating func look(through table: SourceTable, of entity: Entity) {
        let taken = table.columns.filter { name in
            guard let column = entity.column(named: name) else { return false }
            return column.access == .readWrite || name == "created_at" || name == "updated_at"
        }
        for column in table.columns where column != "id" && column != "version" && !taken.contains(column) {
            notes.append("public.\(entity.name).\(column) has no place here and is not imported")
        }
        // What the linked account adds.
        let added =
            entity.name == "users" ? ["email", "supabase_user_id", "is_active"].filter { !taken.contains($0) } : []
        columns[entity.name] = taken + added
        var seen: Set<Int64> = []
        var good: [Row] = []
        for fields in table.rows {
            let found = refusals.count
            let idText = table.index(of: "id").flatMap { fields[$0] }
            guard let id = idText.flatMap({ Int64($0) }), id > 0 else {
                refuse(
                    entity, idText ?? "?", "id", "type", "Donnez à la ligne un identifiant, un nombre entier positif.")
                continue
            }
            guard seen.insert(id).inserted else {
                refuse(entity, "\(id)", "id", "unique", "Gardez une seule ligne de cet identifiant.")
                continue
            }
            if present.imported[entity.name]?.contains(id) == true {
                alreadyHere[entity.name, default: 0] += 1
                if entity.name == "users" { accounts.use(fields, of: table) }
                continue
            }
            if present.ids[entity.name]?.contains(id) == true {
                refuse(
                    entity, "\(id)", "id", "unique",
                    "Importez dans une base vide\u{A0}: un autre enregistrement y porte déjà cet identifiant.")
            }
            var row = Row(id: id, values: values(fields, of: table, taken: taken))
            if entity.name == "users" { complete(&row, fields, of: table, entity) }
            check(row, of: entity)
            guard refusals.count == found else { continue }
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

    // MARK: Rules

    private mutating func check(_ row: Row, of entity: Entity) {
        let written = row.values.keys.sorted().compactMap { name -> Object.Member? in
            guard let column = entity.column(named: name), column.access == .readWrite else { return nil }
            return .init(name, column.type.value(ofPostgresText: row.values[name] ?? nil))
        }
        for problem in entity.problems(in: Object(written), for: .create, at: "") {
            let column = problem.path.isEmpty ? nil : String(problem.path.dropFirst())
            refuse(entity, "\(row.id)", column, problem.code.rawValue, problem.message)
        }
        for relation in entity.relations {
            guard case .toOne(let column) = relation.kind, let text = row.values[column] ?? nil, let id = Int64(text)
            else {
                continue
            }
            let isThere =
                accepted[relation.target]?.contains(id) == true
                || present.imported[relation.target]?.contains(id) == true
                    && present.ids[relation.target]?.contains(id) == true
            if !isThere {
                refuse(
                    entity, "\(row.id)", column, "reference",
                    "Corrigez la ligne \(id) de \(relation.target), refusée ou absente, ou retirez-la d'ici.")
            }
        }
        if entity.name == "users" { checkUniqueness(of: row, entity) }
    }

    private mutating func checkUniqueness(of row: Row, _ entity: Entity) {
        for (column, known) in [("email", present.emails), ("supabase_user_id", present.supabaseIDs)] {
            guard let value = (row.values[column] ?? nil)?.lowercased() else { continue }
            let twin = rows["users"]?.first { ($0.values[column] ?? nil)?.lowercased() == value }?.id
            if let other = twin ?? known[value] {
                refuse(
                    entity, "\(row.id)", column, "unique",
                    "Donnez une autre valeur\u{A0}: le compte \(other) a déjà celle-ci.")
            }
        }
    }

    private mutating func refuse(_ entity: Entity, _ row: String, _ column: String?, _ rule: String, _ remedy: String) {
        refusals.append(ImportProblem(table: entity.name, row: row, column: column, rule: rule, remedy: remedy))
    }

    // MARK: Accounts

    /// Adds to a user what Supabase Auth has of it: the link, the e-mail, the password, whether it may sign in.
    private mutating func complete(_ row: inout Row, _ fields: [String?], of table: SourceTable, _ entity: Entity) {
        var values = row.values
        if values["is_active"] == nil { values["is_active"] = .some("true") }
        guard let account = accounts.use(fields, of: table) else {
            notes.append("users \(row.id) has no account in auth.users: the password is to be set by a reset")
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
            notes.append("users \(row.id) has no password that is understood here: it is to be set by a reset")
        }
        row = Row(id: row.id, values: values, passwordHash: hash)
    }
}

extension FieldType {
    /// Postgres's text of a value of this type as JSON would carry it, for the rules to judge.
    fileprivate func value(ofPostgresText text: String?) -> Value {
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
