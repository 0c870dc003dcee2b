package import PostgresDriver

/// Removes a company with all that it has, in steps that are transactions of their own.
///
/// One long transaction would hold up the change feed of the other companies. So what a stopped run has removed stays removed, and
/// the next run goes on where it has ended: nobody acts in the company from the first step on.
package struct CompanyErasure: Sendable {
    package struct Report: Sendable, Equatable {
        /// How many rows each table had, by its name with the schema; those that had none are left out.
        package let tables: [Table]
        package let members: Int
        /// The accounts that were members of no other company.
        package let accounts: Int

        package struct Table: Sendable, Equatable {
            package let name: String
            package let rows: Int
        }
    }

    private let owner: PostgresClient

    /// How many rows a transaction removes: some tenths of a second.
    private static let batch = 5_000
    /// Within this time after the first step every server has learnt that nobody acts in the company.
    private static let learning = Duration.seconds(1)
    /// How long transactions that have begun before are waited for. What a longer one writes into the company stays, and nobody sees it.
    private static let patience = Duration.seconds(10)
    /// A call may add what refers to a member between two steps.
    private static let attempts = 5

    /// - Parameter owner: connections of the login that owns the schema.
    package init(owner: PostgresClient) {
        self.owner = owner
    }

    /// Removes the company.
    ///
    /// - Parameters:
    ///   - name: its name, exactly.
    ///   - move: of a copy that a move has made, the id of the move; nil: any company.
    /// - Throws: `PostgresError` with a hint if there is no such company, it has another name or is the only one: then nothing was
    ///   removed.
    package func run(
        _ company: Int64, named name: String, copiedBy move: String? = nil
    ) async throws -> Report {
        let id = Parameter.text(String(company))
        let counted = try await owner.query(Self.counts, [id])
        let tables = (0..<counted.count).map {
            Report.Table(name: counted.text($0, 0) ?? "", rows: counted.text($0, 1).flatMap { Int($0) } ?? 0)
        }
        let end =
            move.map { Step(Self.endingCopy, [id, .text(name), .text($0)]) } ?? Step(Self.ending, [id, .text(name)])
        _ = try await owner.transaction([end])
        let ended = ContinuousClock.now
        let removed = try await remove(id)
        try await Task.sleep(until: ended + Self.learning, clock: .continuous)
        try await waitForEarlierTransactions()
        try await empty(id)
        // Of a company that has moved.
        _ = try await owner.transaction([Step(Self.gates)])
        return Report(
            tables: tables, members: removed.text(0, 0).flatMap { Int($0) } ?? 0,
            accounts: removed.text(0, 1).flatMap { Int($0) } ?? 0)
    }

    /// Removes the rows, then the members and the company.
    private func remove(_ company: Parameter) async throws -> Rows {
        var attempt = 1
        while true {
            try await empty(company)
            do throws(PostgresError) {
                return try await owner.transaction([Step(Self.removing, [company])])[0].withRow()
            } catch {
                guard error.sqlState == "23503", attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Removes rows until there are none.
    private func empty(_ company: Parameter) async throws {
        let step = Step(Self.emptying, [company, .text(String(Self.batch))])
        while try await owner.transaction([step]).first?.count ?? 0 > 0 { try Task.checkCancellation() }
    }

    /// Returns when the writes that have begun by now have ended.
    private func waitForEarlierTransactions() async throws {
        let end = ContinuousClock.now + Self.patience
        let next = try await owner.query(Self.next).text(0, 0) ?? "0"
        while try await owner.query(Self.isPast, [.text(next)]).text(0, 0) != "true", .now < end {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private static let counts = Statement("SELECT c.name, c.rows::text FROM kernel.company_counts($1::bigint) AS c")
    private static let ending = Statement("SELECT kernel.company_end($1::bigint, $2::text)")
    private static let endingCopy = Statement("SELECT kernel.company_end($1::bigint, $2::text, $3::uuid)")
    private static let emptying = Statement("SELECT e.name FROM kernel.company_empty($1::bigint, $2::integer) AS e")
    private static let removing = Statement(
        "SELECT r.members::text, r.accounts::text FROM kernel.company_remove($1::bigint) AS r")
    private static let gates = Statement("SELECT kernel.company_gates()")
    private static let next = Statement("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
    private static let isPast = Statement(
        "SELECT (pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8)::text")
}
