package import DomainKit
import JSON
package import PostgresDriver

/// Takes what is personal out of the tables and the journal. Figures, references and the evidence of signatures stay.
package struct Erasure: Sendable {
    private let domains: [Domain]
    private let owner: PostgresClient

    /// - Parameters:
    ///   - domains: those that are served.
    ///   - owner: connections of the login that owns the schema.
    package init(domains: [Domain], owner: PostgresClient) {
        self.domains = domains
        self.owner = owner
    }

    /// Erases a record, or what the journal has of one that was deleted.
    ///
    /// - Returns: the number of entries of the journal in which something was hidden.
    package func erase(_ record: PersonalRecord) async throws -> Int {
        let replacing = JSONValue.object(
            JSONObject(record.entity.personal.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }))
        let kinds = domains.flatMap(\.notices).filter { $0.entity == record.entity.name }.map(\.name)
        let results = try await owner.transaction([
            Step(
                Self.eraseRecord,
                [
                    .text(record.table), .text(String(record.id)), .text(replacing.jsonText),
                    record.entity.successor.map { .text($0.function) } ?? .null,
                ]),
            Step(Self.eraseErrors, [.text(String(record.id)), .text("{\(kinds.joined(separator: ","))}")]),
        ])
        return results.first?.text(0, 0).flatMap { Int($0) } ?? 0
    }

    /// Erases the account that has this e-mail, unless it is the last active administrator.
    ///
    /// - Returns: its id, and the number of entries of the journal about it in which something was hidden.
    package func eraseAccount(email: String) async throws -> (id: Int64, entries: Int) {
        guard let id = try await owner.query(Self.account, [.text(email)]).firstID else {
            throw PersonalDataError("there is no account with this e-mail")
        }
        let results = try await owner.transaction([Step(Self.eraseAccount, [.text(String(id))])])
        guard let entries = results.first?.text(0, 0).flatMap({ Int($0) }) else {
            throw PersonalDataError(
                "\(email) is the last active administrator: add another with 'learntrack user add', then repeat this")
        }
        return (id, entries)
    }

    static let account = Statement("SELECT id::text FROM kernel.accounts WHERE lower(email) = lower($1::text)")
    private static let eraseRecord = Statement(
        "SELECT kernel.erase_record($1::text::regclass, $2::bigint, $3::jsonb, $4::text)::text")
    /// A mail server may repeat the address that it refuses.
    private static let eraseErrors = Statement(
        """
        UPDATE kernel.outbox SET last_error = NULL
        WHERE company_id = kernel.company() AND record_id = $1::bigint AND kind = ANY ($2::text[])
        """)
    private static let eraseAccount = Statement("SELECT kernel.erase_account($1::bigint)::text")
}

extension Rows {
    /// The id in the first column of the first row.
    var firstID: Int64? { count == 0 ? nil : text(0, 0).flatMap { Int64($0) } }
}
