import PostgresDriver
import Synchronization

/// Brings to this instance what other instances, or people with psql, have ended or changed.
///
/// It looks at what is new every few hundred milliseconds. While it has not managed to for a second, `isCurrent` is
/// false and the database is asked about each caller instead.
package final class RevocationFeed: Sendable {
    private enum State {
        /// Nobody follows: this instance knows what it did itself, and asks nobody.
        case off
        case followed(lastLook: ContinuousClock.Instant?)
    }

    private let database: IdentityDatabase
    private let revocations: Revocations
    private let state = Mutex(State.off)

    init(database: IdentityDatabase, revocations: Revocations) {
        self.database = database
        self.revocations = revocations
    }

    /// Whether the list in memory may be trusted.
    var isCurrent: Bool {
        state.withLock { state in
            switch state {
            case .off: true
            case .followed(let lastLook): lastLook.map { $0 > .now - .seconds(1) } ?? false
            }
        }
    }

    /// Follows until the task is cancelled.
    package func follow(every interval: Duration = .milliseconds(250)) async {
        state.withLock { $0 = .followed(lastLook: nil) }
        var lastLook: ContinuousClock.Instant?
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do throws(IdentityError) {
                try await look(back: Self.secondsBack(since: lastLook, now: start), deadline: start + .seconds(2))
                lastLook = start
                state.withLock { $0 = .followed(lastLook: start) }
            } catch {
                // The driver has reported it; here it shows as `isCurrent` turning false, and the next look makes up.
            }
            do {
                try await Task.sleep(for: interval)
            } catch {
                break
            }
        }
        // Who stops following trusts nothing from here on.
        state.withLock { $0 = .followed(lastLook: nil) }
    }

    /// How far a look goes back, in seconds. A transaction shows its changes some time after the moment it gives them,
    /// so each look overlaps the one before by a minute; none needs more than a token still alive may have outlived.
    private static func secondsBack(since lastLook: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Double {
        guard let lastLook else { return Revocations.memory }
        return min(Revocations.memory, (now - lastLook) / .seconds(1) + 60)
    }

    /// Takes in what has changed during the last `seconds`.
    func look(back seconds: Double, deadline: ContinuousClock.Instant? = nil) async throws(IdentityError) {
        let news = try await database.query(Self.news, [.text(String(seconds))], deadline: deadline)
        for row in 0..<news.count {
            guard let id = news.text(row, 0) else { continue }
            if news.isNull(row, 1) {
                revocations.end(signIns: [id])
            } else if let userID = Int64(id) {
                take(news, row: row, firstColumn: 1, of: userID)
            }
        }
    }

    /// Takes in what `userID`'s account is now and which of its sign-ins have ended; true when it is active.
    func look(at userID: Int64, deadline: ContinuousClock.Instant?) async throws(IdentityError) -> Bool {
        let user = Parameter.text(String(userID))
        let rows = try await database.query(Self.account, [user], deadline: deadline)
        guard rows.count == 1 else { return false }
        take(rows, row: 0, firstColumn: 0, of: userID)
        let ended = try await database.query(
            Self.endedSignInsOfUser, [.text(String(Revocations.memory)), user], deadline: deadline)
        revocations.end(signIns: (0..<ended.count).compactMap { ended.text($0, 0) })
        return rows.text(0, 1) == "true"
    }

    /// Asks the database whether a token that says `caller` still tells the truth.
    func confirms(_ caller: Caller, deadline: ContinuousClock.Instant?) async throws(IdentityError) -> Bool {
        let rows = try await database.query(
            Self.signIn, [.text(caller.signInID), .text(String(caller.userID))], deadline: deadline)
        return rows.count == 1 && rows.text(0, 0) == caller.role
    }

    /// Columns: role, is_active, version.
    private func take(_ rows: Rows, row: Int, firstColumn: Int, of userID: Int64) {
        guard let role = rows.text(row, firstColumn),
            let version = rows.text(row, firstColumn + 2).flatMap({ Int64($0) })
        else { return }
        let isActive = rows.text(row, firstColumn + 1) == "true"
        revocations.set(.init(role: role, isActive: isActive, version: version), of: userID)
    }

    /// Ended sign-ins, with nothing but an id, and changed accounts.
    private static let news = Statement(
        """
        SELECT id::text, NULL, NULL, NULL FROM sign_ins
        WHERE ended_at > now() - make_interval(secs => $1::double precision)
        UNION ALL
        SELECT id::text, role::text, is_active::text, version::text FROM users
        WHERE updated_at > now() - make_interval(secs => $1::double precision)
        """)
    private static let endedSignInsOfUser = Statement(
        """
        SELECT id::text FROM sign_ins
        WHERE ended_at > now() - make_interval(secs => $1::double precision) AND user_id = $2::bigint
        """)
    private static let account = Statement(
        "SELECT role::text, is_active::text, version::text FROM users WHERE id = $1::bigint")
    private static let signIn = Statement(
        """
        SELECT u.role::text FROM sign_ins s JOIN users u ON u.id = s.user_id
        WHERE s.id = $1::uuid AND s.user_id = $2::bigint AND s.ended_at IS NULL AND u.is_active
        """)
}
