import PostgresDriver

/// One round of a move: rows pass from the database that the company leaves to temporary tables of the one where it arrives, and are
/// entered there in one transaction.
///
/// The first round has all rows, each further one those that were written since the one before. Rows that have gone show in the number
/// of rows: their table then tells the keys of those that are left.
struct MoveRound: Sendable {
    /// How many rows a table has, and the digest of those that the round has copied.
    struct Tally: Sendable, Equatable {
        let rows: Int
        let digest: String
    }

    /// What a round has copied.
    struct Copied: Sendable {
        let rows: Int
        let tallies: [String: Tally]
    }

    private struct Part: Sendable {
        let name: String
        let columns: String
        let source: String
        /// The query of the keys of all rows; nil for a table whose rows are all copied each time.
        let keys: String?
    }

    let company: Int64
    /// Acts in the company, in a transaction of the caller.
    let old: PostgresConnection
    let new: PostgresConnection
    /// When the round must have ended; nil: it may last.
    let end: ContinuousClock.Instant?
    /// What holds, and what is to be done, where both ends differ.
    let remedy: String

    /// - Parameter hasDeparted: whether a run was stopped after the company had departed.
    init(
        of company: Int64, from old: PostgresConnection, to new: PostgresConnection, hasDeparted: Bool = false,
        until end: ContinuousClock.Instant? = nil
    ) {
        remedy =
            hasDeparted
            ? "the company has left, has not arrived, and nobody writes in it: run the command again, or let it be served here with "
                + "--abandon"
            : "calls go on here; run the command again, or undo the move with --abandon"
        self.company = company
        self.old = old
        self.new = new
        self.end = end
    }

    /// Copies what the transaction of the old end shows, into temporary tables of the new one.
    ///
    /// - Parameter since: the snapshot of the round before, as ``snapshot()`` gives it; nil: all rows.
    func stage(since: String?) async throws -> Copied {
        let given: [Parameter] = [since.map { .text($0) } ?? .null]
        let listed = try await old.query(Self.parts, given)
        var parts: [String: Part] = [:]
        var copied = 0
        for row in 0..<listed.count {
            guard let name = listed.text(row, 0), let columns = listed.text(row, 1), let source = listed.text(row, 2)
            else { continue }
            let part = Part(name: name, columns: columns, source: source, keys: listed.text(row, 3))
            parts[name] = part
            copied += try await pass(source, into: part, ofKeys: false)
        }
        try await limit(old, "before the rows were counted")
        let tallies = try await Self.tallies(old.query(Self.tallying, given))
        let counts = Array(tallies)
        let names = counts.map { $0.key }.joined(separator: "\n")
        let numbers = counts.map { String($0.value.rows) }.joined(separator: "\n")
        try await limit(new, "before rows were looked for that are gone")
        let gone = try await new.query(Self.gone, [.text(String(company)), .text(names), .text(numbers)])
        for row in 0..<gone.count {
            guard let part = gone.text(row, 0).flatMap({ parts[$0] }), let keys = part.keys else { continue }
            _ = try await pass(keys, into: part, ofKeys: true)
        }
        return Copied(rows: copied, tallies: tallies)
    }

    /// Enters what is staged; to be called in a transaction of the new end.
    func enter() async throws {
        try await limit(new, "before the rows were entered")
        _ = try await new.query(Self.entering, [.text(String(company))])
    }

    /// Throws if the new end has other rows than the old one had: in number, or in what the round has copied.
    func compare(_ copied: Copied) async throws {
        try await limit(new, "before the rows were compared")
        _ = try await new.query(Self.acting, [.text(String(company))])
        let there = try await Self.tallies(new.query(Self.entered))
        for (name, tally) in copied.tallies.sorted(by: { $0.key < $1.key }) where there[name] != tally {
            let rows = there[name].map { "\($0.rows)" } ?? "no"
            throw BackupError(
                "\(name) has \(rows) rows where the company moves to, and \(tally.rows) here, or others: \(remedy)")
        }
    }

    /// The transactions that the next round need not look at, as the old end sees them now.
    func snapshot() async throws -> String {
        guard let snapshot = try await old.query(Self.snapshots).text(0, 0) else {
            throw BackupError("the database does not tell its transactions")
        }
        return snapshot
    }

    /// - Returns: how many rows have passed.
    private func pass(_ query: String, into part: Part, ofKeys: Bool) async throws -> Int {
        let step = "before \(ofKeys ? "the keys" : "the rows") of \(part.name)"
        try await limit(new, step)
        let staged = try await new.query(
            Self.staging, [.text(part.name), .text(part.columns), .text(String(ofKeys))])
        guard let copy = staged.text(0, 0) else { return 0 }
        try await limit(old, step)
        return try await new.copyIn(copy, from: old.copyOut("COPY (\(query)) TO STDOUT"))
    }

    /// Lets each further statement on the connection last as long as the round may.
    ///
    /// - Parameter step: where the round is.
    /// - Throws: `MoveTimeError` if its time is over.
    func limit(_ connection: PostgresConnection, _ step: String) async throws {
        guard let end else { return }
        let rest = Int(ContinuousClock.now.duration(to: end) / .milliseconds(1))
        guard rest > 0 else { throw MoveTimeError(step: step) }
        try await connection.simpleQuery("SET LOCAL statement_timeout = \(rest)")
    }

    private static func tallies(_ rows: Rows) -> [String: Tally] {
        var tallies: [String: Tally] = [:]
        for row in 0..<rows.count {
            guard let name = rows.text(row, 0), let number = rows.text(row, 1).flatMap({ Int($0) }),
                let digest = rows.text(row, 2)
            else { continue }
            tallies[name] = Tally(rows: number, digest: digest)
        }
        return tallies
    }

    // MARK: SQL

    private static let parts = Statement(
        """
        SELECT p.name, array_to_string(p.columns, E'\\n'), p.source,
            CASE WHEN p.keys IS NOT NULL THEN format('SELECT %s FROM %s AS t WHERE t.company_id = kernel.company()', p.keys, p.name) END
        FROM kernel.company_parts($1::text) AS p
        """)
    private static let tallying = Statement(
        "SELECT t.name, t.rows::text, t.digest::text FROM kernel.company_tallies($1::text) AS t")
    private static let staging = Statement(
        "SELECT kernel.move_stage($1::text, string_to_array($2::text, E'\\n'), $3::boolean)")
    private static let gone = Statement(
        """
        SELECT g.name FROM kernel.move_gone(
            $1::bigint, jsonb_object(string_to_array($2::text, E'\\n'), string_to_array($3::text, E'\\n'))) AS g
        """)
    private static let entering = Statement("SELECT kernel.move_enter($1::bigint)")
    private static let acting = Statement("SELECT set_config('learntrack.company', $1::text, false)")
    private static let entered = Statement(
        "SELECT t.name, t.rows::text, t.digest::text FROM kernel.company_entered() AS t")
    private static let snapshots = Statement("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
}

/// The last round has taken longer than writes may wait.
struct MoveTimeError: Error {
    /// Where it was.
    let step: String
}
