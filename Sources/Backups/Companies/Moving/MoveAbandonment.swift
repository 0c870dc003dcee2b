package import PostgresDriver

/// Undoes a move that was stopped: the company stays where it was, and the copy is erased.
///
/// A run of this that was stopped is repeated: the copy stays one until it is gone.
package struct MoveAbandonment: Sendable {
    private let company: Int64
    private let from: PostgresClient
    private let into: PostgresClient

    /// - Parameters:
    ///   - from: connections of the login that owns the schema of the installation that the company was to leave.
    ///   - into: those of the installation where it was to arrive.
    package init(_ company: Int64, from: PostgresClient, into: PostgresClient) {
        self.company = company
        self.from = from
        self.into = into
    }

    /// - Parameter erase: erases the copy, which has this name and was made by the move of this id.
    /// - Throws: `BackupError` if the company is not moving, or has arrived, or another command moves it.
    package func run(
        erasing erase: @escaping @Sendable (_ name: String, _ move: String) async throws -> Void
    ) async throws {
        let id = Parameter.text(String(company))
        try await from.withConnection { old in
            try await MoveLock.take(company, on: old)
            let state = try await old.query(Self.state, [id])
            guard let move = state.text(0, 0), let key = state.text(0, 1) else {
                throw BackupError("company \(company) is not moving: 'learntrack companies list' shows which are")
            }
            if let name = try await copy(of: key) {
                // It cannot arrive any more, since only who has the lock lets it arrive.
                _ = try await old.transaction([Step(Self.returning, [id])])
                try await erase(name, key)
            } else if move == "moved" {
                throw try await arrived()
            }
            _ = try await old.transaction([Step(Self.staying, [id])])
            _ = try await old.transaction([Step(Self.gates)])
        }
    }

    /// The name of the copy, which servers read no more; nil: there is none. Waits for an arrival that is under way.
    private func copy(of move: String) async throws -> String? {
        let id = Parameter.text(String(company))
        let steps = [Step(Self.copies, [id, .text(move)]), Step(Self.closing, [id, .text(move)])]
        return try await into.transaction(steps)[0].text(0, 0)
    }

    private func arrived() async throws -> BackupError {
        let there = try await into.query(Self.named, [.text(String(company))]).text(0, 0)
        if there == "arriving" {
            return BackupError(
                "company \(company) is the copy of another move where it moved to: erase it there, then run the command again"
            )
        }
        guard there != nil else {
            return BackupError(
                "company \(company) has left, and is not where it moved to: the command without --abandon copies it there again"
            )
        }
        return BackupError(
            "company \(company) has arrived where it moved to, and people work there: erase it here, then move it back from there"
        )
    }

    private static let state = Statement(
        """
        SELECT c.move, c.move_id::text FROM kernel.companies AS c WHERE c.id = $1::bigint AND c.move IN ('leaving', 'moved')
        """)
    private static let copies = Statement(
        """
        SELECT c.name::text FROM kernel.companies AS c
        WHERE c.id = $1::bigint AND c.move = 'arriving' AND c.move_id = $2::uuid FOR NO KEY UPDATE
        """)
    private static let closing = Statement("SELECT kernel.move_open($1::bigint, false, $2::uuid)")
    private static let named = Statement(
        "SELECT coalesce(c.move, 'served') FROM kernel.companies AS c WHERE c.id = $1::bigint")
    private static let returning = Statement("SELECT kernel.move_return($1::bigint)")
    private static let staying = Statement("SELECT kernel.move_stay($1::bigint)")
    private static let gates = Statement("SELECT kernel.company_gates()")
}
