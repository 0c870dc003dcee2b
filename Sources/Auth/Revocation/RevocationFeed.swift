import PostgresDriver
import Synchronization

/// Brings to this instance what other instances, or people with psql, have ended or changed.
///
/// It listens to what they announce and then looks at what is new; a slow poll is the net beneath. Its trust follows
/// the listener's heartbeat: while nothing proves that every announcement up to a second ago has arrived and been
/// looked at, `isCurrent` is false and the database is asked about each caller instead.
package final class RevocationFeed: Sendable {
    private enum State {
        /// Nobody follows: this instance knows what it did itself, and asks nobody.
        case off
        case followed(Following)
    }

    private struct Following {
        /// Nil once nobody follows any more.
        var notifications: Notifications?
        /// How often there was something to look at, and how many of these a look has covered.
        var announced = 0
        var covered = 0
    }

    /// Said by `SignInRevocation` and by the trigger on `users`.
    private static let channels = ["auth_sign_in_ended", "auth_account_changed"]
    /// Often enough that its answer is younger than a second, even when one comes late.
    private static let heartbeat: Duration = .milliseconds(400)
    /// Three heartbeats: the connection is given up when trust in it has long ended.
    private static let answerWithin: Duration = .milliseconds(1_500)
    private static let afterFailure: Duration = .milliseconds(250)

    private let database: AuthDatabase
    private let revocations: RevocationList
    private let state = Mutex(State.off)

    init(database: AuthDatabase, revocations: RevocationList) {
        self.database = database
        self.revocations = revocations
    }

    /// Whether the list in memory may be trusted.
    var isCurrent: Bool {
        state.withLock { state in
            guard case .followed(let following) = state else { return true }
            guard following.announced == following.covered, let heardAt = following.notifications?.heardAt else {
                return false
            }
            return heardAt > .now - .seconds(1)
        }
    }

    /// Follows until the task is cancelled.
    /// - Parameter interval: between two looks when nothing is announced.
    package func follow(every interval: Duration = .seconds(2)) async {
        // Who stops following trusts nothing from then on.
        defer { state.withLock { $0 = .followed(Following()) } }
        let notifications: Notifications
        do throws(PostgresError) {
            notifications = try database.client.listen(
                to: Self.channels, heartbeat: Self.heartbeat, answerWithin: Self.answerWithin)
        } catch {
            preconditionFailure("the channels' names are in order: \(error)")
        }
        state.withLock { $0 = .followed(Following(notifications: notifications)) }
        let (reasons, reason) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            group.addTask {
                for await event in notifications {
                    if case .interrupted = event { continue }
                    self.note { $0.announced += 1 }
                    reason.yield()
                }
                reason.finish()
            }
            group.addTask {
                while await Self.passed(interval) { reason.yield() }
            }
            var lastLook: ContinuousClock.Instant?
            for await _ in reasons {
                while !Task.isCancelled {
                    if await take(since: &lastLook) { break }
                    guard await Self.passed(Self.afterFailure) else { break }
                }
            }
            group.cancelAll()
        }
    }

    /// Looks at what is new, and with that at all that was announced before.
    private func take(since lastLook: inout ContinuousClock.Instant?) async -> Bool {
        let start = ContinuousClock.now
        var announced = 0
        note { announced = $0.announced }
        do throws(AuthError) {
            try await look(back: Self.secondsBack(since: lastLook, now: start), deadline: start + .seconds(2))
        } catch {
            // The driver has reported it; here it shows as `isCurrent` being false, and the next look makes up.
            return false
        }
        lastLook = start
        note { $0.covered = announced }
        return true
    }

    private func note(_ change: (inout Following) -> Void) {
        state.withLock { state in
            guard case .followed(var following) = state else { return }
            change(&following)
            state = .followed(following)
        }
    }

    /// False when the task was cancelled meanwhile.
    private static func passed(_ time: Duration) async -> Bool {
        do {
            try await Task.sleep(for: time)
            return true
        } catch {
            return false
        }
    }

    /// How far a look goes back, in seconds. A transaction shows its changes some time after the moment it gives them,
    /// so each look overlaps the one before by a minute; none needs more than a token still alive may have outlived.
    private static func secondsBack(since lastLook: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Double {
        guard let lastLook else { return RevocationList.memory }
        return min(RevocationList.memory, (now - lastLook) / .seconds(1) + 60)
    }

    /// Takes in what has changed during the last `seconds`.
    func look(back seconds: Double, deadline: ContinuousClock.Instant? = nil) async throws(AuthError) {
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
    func look(at userID: Int64, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Bool {
        let user = Parameter.text(String(userID))
        let rows = try await database.query(Self.account, [user], deadline: deadline)
        guard rows.count == 1 else { return false }
        take(rows, row: 0, firstColumn: 0, of: userID)
        let ended = try await database.query(
            Self.endedSignInsOfUser, [.text(String(RevocationList.memory)), user], deadline: deadline)
        revocations.end(signIns: (0..<ended.count).compactMap { ended.text($0, 0) })
        return rows.text(0, 1) == "true"
    }

    /// Asks the database whether a token that says `caller` still tells the truth.
    func confirms(_ caller: AuthenticatedUser, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Bool {
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
