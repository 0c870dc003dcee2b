import Migrations
package import PostgresDriver

/// Moves a company to another installation while both serve: reads never stop, and writes wait for some seconds at most.
///
/// Rounds copy the rows, the first one all of them, while calls go on. Then the gate of the company closes, so that writes wait; the
/// last round copies what is left, and the company departs. From then on the old servers answer with the address of the new ones. If
/// the last round takes too long, or fails, the gate opens again, and the waiting writes are carried out here.
///
/// A run that was stopped is completed by the next one. In no order of events both ends are written: where the company arrives, nobody
/// writes before it has departed.
package struct CompanyMove: Sendable {
    package struct Report: Sendable, Equatable {
        package let name: String
        /// How many rows the first round has copied, and the further ones.
        package let rows: Int
        package let later: Int
        /// How long writes have waited.
        package let closed: Duration
        /// Whether an earlier run has moved it, whose end that run has not heard of. Then nothing was copied.
        package let hadArrived: Bool
    }

    /// The connection broke while the company departed: it has, or it has not.
    private struct UnknownDeparture: Error {
        let cause: any Error
    }

    /// How long writes may wait.
    private static let patience = Duration.seconds(5)
    /// A round that copies fewer rows is the last one before writes wait.
    private static let few = 1_000
    private static let rounds = 8
    private static let attempts = 3
    /// Within this time all servers have learnt what was announced.
    private static let learning = Duration.seconds(2)

    private let company: Int64
    private let from: PostgresClient
    private let into: PostgresClient
    private let place: String
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - from: connections of the login that owns the schema, which act in the company.
    ///   - into: those of the installation where it arrives, which act in no company.
    ///   - place: the public address of the servers there, without a slash at its end.
    ///   - tell: is told what has been done, in a line.
    package init(
        _ company: Int64, from: PostgresClient, into: PostgresClient, place: String,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.company = company
        self.from = from
        self.into = into
        self.place = place
        self.tell = tell
    }

    /// - Throws: `BackupError` for a schema of another version, or a last round that took too long; `PostgresError` with a hint for what
    ///   is taken where the company moves to: then nothing was written.
    package func run() async throws -> Report {
        let report: Report
        do {
            report = try await from.withConnection { old in
                try await MoveLock.take(company, on: old)
                return try await into.withConnection { new in
                    try await run(from: old, to: new)
                }
            }
        } catch let unknown as UnknownDeparture {
            throw await told(unknown)
        }
        do {
            _ = try await into.transaction([Step(Self.gates)])
        } catch {
            tell("each write there still passes a gate, until the next migration: \(error)")
        }
        return report
    }

    private func run(from old: PostgresConnection, to new: PostgresConnection) async throws -> Report {
        for connection in [old, new] { try await connection.simpleQuery(Self.format) }
        try await checkVersions(old, new)
        let id = Parameter.text(String(company))
        let known = try await old.query(Self.known, [id])
        guard let name = known.text(0, 0) else {
            throw BackupError("there is no company \(company): 'learntrack companies list' shows them")
        }
        let hasDeparted = known.text(0, 1) == "moved"
        let knownMove = Parameter.text(known.text(0, 2) ?? Self.noMove)
        if hasDeparted, try await new.query(Self.arrived, [id, knownMove]).count > 0 {
            return Report(name: name, rows: 0, later: 0, closed: .zero, hadArrived: true)
        }
        let admitted = try await new.transaction([Step(Self.admitting, [id, .text(name), knownMove])])
        if admitted[0].text(0, 0) == "true" {
            // A run that was stopped may have let servers read there.
            _ = try await new.transaction([Step(Self.opening, [id, .text("false"), knownMove])])
        }
        let first = try await begin(named: name, knownMove, hasDeparted, old, new)
        tell("copied \(first.rows) rows of \(name)")
        if hasDeparted {
            // A run was stopped between the last two steps. Nobody has written since.
            try await new.inTransaction { try await arrive(old, new) }
            return Report(name: name, rows: first.rows, later: 0, closed: .zero, hadArrived: false)
        }
        var (since, later) = (first.snapshot, 0)
        for attempt in 1...Self.attempts {
            for _ in 1...Self.rounds {
                let (snapshot, rows) = try await next(since, old, new)
                (since, later) = (snapshot, later + rows)
                if rows < Self.few { break }
            }
            // From now on servers there answer reads that are sent on to them.
            try await open(first.move, on: new)
            try await Task.sleep(for: Self.learning)
            do {
                let (rows, closed) = try await close(since, old, new)
                return Report(name: name, rows: first.rows, later: later + rows, closed: closed, hadArrived: false)
            } catch {
                guard try await isLeaving(old, after: error) else { throw Self.departed(name, error) }
                do {
                    _ = try await new.transaction([Step(Self.opening, [id, .text("false"), first.move])])
                } catch {
                    tell("servers there may show the copy until the next run, or --abandon: \(error)")
                }
                guard Self.isPassing(error), attempt < Self.attempts else { throw Self.explained(error) }
                tell("writes have waited for \(Self.patience.components.seconds) s and go on here: trying again")
            }
        }
        throw Self.explained(MoveTimeError(step: "after \(Self.attempts) attempts"))
    }

    /// Whether calls still go on here.
    private func isLeaving(_ old: PostgresConnection, after cause: any Error) async throws -> Bool {
        do {
            return try await old.query(Self.state, [.text(String(company))]).text(0, 0) == "leaving"
        } catch {
            throw UnknownDeparture(cause: cause)
        }
    }

    /// What a new connection says of the company, once the old one is given back.
    private func told(_ unknown: UnknownDeparture) async -> BackupError {
        do {
            let state = try await from.query(Self.state, [.text(String(company))]).text(0, 0)
            if state == "moved" { return Self.departed("company \(company)", unknown.cause) }
        } catch {
            tell("the database does not answer: \(error)")
        }
        return BackupError(
            "the connection broke in the last step (\(unknown.cause)), and company \(company) may have left: run the command again, "
                + "which completes the move")
    }

    private static func departed(_ name: String, _ cause: any Error) -> BackupError {
        BackupError(
            "\(name) has left, and it is not known whether it has arrived (\(cause)): run the command again, which completes the move"
        )
    }

    /// Lets servers there answer reads that are sent on to them.
    private func open(_ move: Parameter, on new: PostgresConnection) async throws {
        do throws(PostgresError) {
            _ = try await new.transaction([Step(Self.opening, [.text(String(company)), .text("true"), move])])
        } catch {
            guard let refusal = error.server, refusal.sqlState == "55P03" else { throw error }
            throw BackupError(
                "where the company moves to, \(refusal.message): end these transactions there, and run the command again; calls go on "
                    + "here")
        }
    }

    /// The company arrives with the name that it has here by now, suspended if it is here.
    private func arrive(_ old: PostgresConnection, _ new: PostgresConnection) async throws {
        let id = Parameter.text(String(company))
        let own = try await old.query(Self.own, [id])
        guard let name = own.text(0, 0), let isSuspended = own.text(0, 1) else {
            throw BackupError("there is no company \(company) any more")
        }
        _ = try await new.query(Self.arriving, [id, .text(name), .text(isSuspended)])
    }

    /// The first round. Everything that may be refused is refused before anything is written.
    private func begin(
        named name: String, _ knownMove: Parameter, _ hasDeparted: Bool, _ old: PostgresConnection,
        _ new: PostgresConnection
    ) async throws -> (snapshot: String, rows: Int, move: Parameter) {
        let id = Parameter.text(String(company))
        let round = MoveRound(of: company, from: old, to: new, hasDeparted: hasDeparted)
        let (copied, snapshot) = try await old.inTransaction(Self.reading) {
            let mark = try await round.snapshot()
            return (try await round.stage(since: nil), mark)
        }
        // It tries whether triggers can be left out: the setting ends with its transaction.
        _ = try await new.transaction([Step(Self.checking, [id, .text(name), knownMove])])
        let move = Parameter.text(try await leave(on: old).text(0, 0) ?? "")
        try await new.inTransaction {
            _ = try await new.query(Self.receiving, [id, .text(name), move])
            try await round.enter()
        }
        // Nobody writes there, so that this needs no transaction of its own.
        try await round.compare(copied)
        return (snapshot, copied.rows, move)
    }

    /// Notes that the company is leaving, once the writes that have begun have ended: those after them pass the gate.
    ///
    /// - Returns: the id of the move.
    private func leave(on old: PostgresConnection) async throws -> Rows {
        do throws(PostgresError) {
            return try await old.transaction([Step(Self.leaving, [.text(String(company)), .text(place)])])[0].withRow()
        } catch {
            guard let refusal = error.server, refusal.sqlState == "55P03" else { throw error }
            throw BackupError(
                "\(refusal.message): end these transactions, and run the command again; nothing was moved")
        }
    }

    /// A further round, while calls go on.
    private func next(
        _ since: String, _ old: PostgresConnection, _ new: PostgresConnection
    ) async throws -> (snapshot: String, rows: Int) {
        let round = MoveRound(of: company, from: old, to: new)
        let (copied, snapshot) = try await old.inTransaction(Self.reading) {
            let mark = try await round.snapshot()
            return (try await round.stage(since: since), mark)
        }
        try await new.inTransaction {
            try await round.enter()
            try await round.compare(copied)
        }
        return (snapshot, copied.rows)
    }

    /// The last round: writes wait for it. Both ends are committed one after the other: first the company departs, so that it is never
    /// written at both. Everything that may fail comes before.
    private func close(
        _ since: String, _ old: PostgresConnection, _ new: PostgresConnection
    ) async throws -> (rows: Int, closed: Duration) {
        let id = Parameter.text(String(company))
        return try await new.inTransaction(Self.closing) {
            // Who is sent on before the end of this transaction waits for it.
            _ = try await new.query(Self.gate, [id])
            let start = ContinuousClock.now
            let round = MoveRound(of: company, from: old, to: new, until: start + Self.patience)
            let rows = try await old.inTransaction(Self.closing) {
                _ = try await old.query(Self.gate, [id])
                let copied = try await round.stage(since: since)
                try await round.enter()
                try await round.compare(copied)
                for connection in [old, new] { try await round.limit(connection, "before the arrival") }
                try await arrive(old, new)
                _ = try await old.query(Self.departing, [id])
                return copied.rows
            }
            return (rows, ContinuousClock.now - start)
        }
    }

    private func checkVersions(_ old: PostgresConnection, _ new: PostgresConnection) async throws {
        let (here, there) = (try await SchemaVersion.applied(on: old), try await SchemaVersion.applied(on: new))
        guard !there.isEmpty else {
            throw BackupError("the database of --into has no schema of this program: run 'learntrack migrate up' there")
        }
        if let difference = SchemaVersion.difference(of: here, to: there) {
            throw BackupError("this database is of another version of the schema than that of --into: \(difference)")
        }
        let one = try await old.query(Self.database).text(0, 0)
        guard try await new.query(Self.database).text(0, 0) != one else {
            throw BackupError("--into is the database that the company is in: give that of the other installation")
        }
    }

    /// Whether the last round may succeed when it is tried again.
    private static func isPassing(_ error: any Error) -> Bool {
        if error is MoveTimeError { return true }
        // The gate was not free in time, a statement took too long, or two waited for each other.
        return (error as? PostgresError).map { ["55P03", "57014", "40P01", "25P03"].contains($0.sqlState) } ?? false
    }

    private static func explained(_ error: any Error) -> any Error {
        guard isPassing(error) else { return error }
        let place = (error as? MoveTimeError).map { " (the time was over \($0.step))" } ?? ""
        return BackupError(
            "the last rows could not be copied within \(patience.components.seconds) s, and writes go on here\(place): end long transactions, "
                + "and run the command again, or undo the move with --abandon")
    }

    // MARK: SQL

    /// Values look the same at both ends, whatever the settings of the logins are.
    private static let format = """
        SET search_path = pg_catalog; SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';
        SET bytea_output = 'hex'; SET extra_float_digits = 1; SET statement_timeout = 0;
        SET idle_in_transaction_session_timeout = 0
        """
    private static let reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    /// Each statement sees what the writes have left that the gate has waited for. If this process hangs, the database opens the gate.
    private static let closing = """
        BEGIN; SET LOCAL lock_timeout = '4s'; SET LOCAL statement_timeout = '5s';
        SET LOCAL idle_in_transaction_session_timeout = '6s'
        """
    private static let noMove = "00000000-0000-0000-0000-000000000000"
    private static let state = Statement("SELECT c.move FROM kernel.companies AS c WHERE c.id = $1::bigint")
    /// Without a move, the id is that by which the company has come here.
    private static let known = Statement(
        """
        SELECT c.name::text, c.move, CASE WHEN c.move IN ('leaving', 'moved') THEN c.move_id::text END
        FROM kernel.companies AS c WHERE c.id = $1::bigint
        """)
    private static let arrived = Statement(
        "SELECT c.id::text FROM kernel.companies AS c WHERE c.id = $1::bigint AND c.move_id = $2::uuid AND c.move IS NULL"
    )
    private static let own = Statement(
        "SELECT m.name, m.is_suspended::text FROM kernel.move_company($1::bigint) AS m")
    /// The server and the database: a directory of data has one start at a time.
    private static let database = Statement(
        "SELECT concat_ws(' ', pg_postmaster_start_time()::text, d.oid, d.datname) FROM pg_database AS d WHERE d.datname = current_database()"
    )
    private static let admitting = Statement("SELECT kernel.move_admit($1::bigint, $2::text, $3::uuid)::text")
    private static let checking = Statement("SELECT kernel.move_check($1::bigint, $2::text, $3::uuid)")
    private static let leaving = Statement(
        "SELECT l.move_id::text FROM kernel.move_leave($1::bigint, $2::text) AS l")
    private static let receiving = Statement("SELECT kernel.move_receive($1::bigint, $2::text, $3::uuid)")
    private static let opening = Statement("SELECT kernel.move_open($1::bigint, $2::boolean, $3::uuid)")
    private static let gates = Statement("SELECT kernel.company_gates()")
    private static let gate = Statement("SELECT kernel.move_close($1::bigint)")
    private static let departing = Statement("SELECT kernel.move_depart($1::bigint)")
    private static let arriving = Statement("SELECT kernel.move_arrive($1::bigint, $2::text, $3::boolean)")
}
