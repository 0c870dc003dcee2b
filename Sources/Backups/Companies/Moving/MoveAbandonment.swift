package import PostgresDriver

/// Undoes a move that was stopped: the company stays where it was, and the copy is to be erased.
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

    /// The name of the copy that is to be erased; nil: there is none. To be called before ``stay()``.
    ///
    /// - Throws: `BackupError` if the company is not moving, or has arrived.
    package func copy() async throws -> String? {
        let id = Parameter.text(String(company))
        let state = try await from.query(Self.state, [id])
        guard let move = state.text(0, 0), let key = state.text(0, 1) else {
            throw BackupError("company \(company) is not moving: 'learntrack companies list' shows which are")
        }
        let copy = try await into.query(Self.copies, [id, .text(key)])
        if copy.count == 0, move == "moved" {
            throw BackupError(
                "company \(company) has arrived where it moved to, and people work there: move it back from there, under an id that no "
                    + "company has here")
        }
        return copy.text(0, 0)
    }

    /// Lets calls go on as before the move. The copy has been erased.
    package func stay() async throws {
        _ = try await from.transaction([Step(Self.staying, [.text(String(company))])])
        _ = try await from.transaction([Step(Self.gates)])
    }

    private static let state = Statement(
        """
        SELECT c.move, c.move_id::text FROM kernel.companies AS c WHERE c.id = $1::bigint AND c.move IN ('leaving', 'moved')
        """)
    private static let copies = Statement(
        """
        SELECT c.name::text FROM kernel.companies AS c
        WHERE c.id = $1::bigint AND c.move = 'arriving' AND c.move_id = $2::uuid
        """)
    private static let staying = Statement("SELECT kernel.move_stay($1::bigint)")
    private static let gates = Statement("SELECT kernel.company_gates()")
}
