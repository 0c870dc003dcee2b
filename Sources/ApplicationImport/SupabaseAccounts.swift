import FoundationEssentials
import JSON

/// The accounts of Supabase Auth (`auth.users`), by id and by e-mail.
struct SupabaseAccounts: Sendable {
    struct Account: Sendable, Equatable {
        let id: String
        let email: String?
        let passwordHash: String?
        /// Whether the account is banned or deleted.
        let isBarred: Bool
    }

    private var byID: [String: Account] = [:]
    private var byEmail: [String: Account] = [:]
    private var used: Set<String> = []

    init(_ table: SourceTable? = nil) {
        guard let table, let id = table.index(of: "id") else { return }
        // In Postgres's format, in which times of four-digit years sort as texts.
        let now = Date().formatted(.iso8601.dateTimeSeparator(.space))
        func text(_ row: [String?], _ column: String) -> String? {
            table.index(of: column).flatMap { row[$0] }.flatMap { $0.isEmpty ? nil : $0 }
        }
        for row in table.rows {
            guard let id = row[id]?.lowercased() else { continue }
            let isBanned = text(row, "banned_until").map { $0 == "infinity" || $0 > now } ?? false
            let account = Account(
                id: id, email: text(row, "email"), passwordHash: text(row, "encrypted_password"),
                isBarred: isBanned || text(row, "deleted_at") != nil)
            byID[id] = account
            if let email = account.email?.lowercased() { byEmail[email] = account }
        }
    }

    /// The number of accounts that no user is linked to.
    var unused: Int { byID.count - used.count }

    /// The account of a row of `public.users`: the one that it names, otherwise the one with the same e-mail. Marks the
    /// account as used.
    @discardableResult
    mutating func use(_ row: [String?], of table: SourceTable) -> Account? {
        func text(_ column: String) -> String? { table.index(of: column).flatMap { row[$0] }?.lowercased() }
        let account: Account? =
            if let id = text("supabase_user_id") { byID[id] } else { text("email").flatMap { byEmail[$0] } }
        if let account { used.insert(account.id) }
        return account
    }
}
