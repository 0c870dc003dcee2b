import PostgresDriver
import Synchronization

/// Adds to the revocation list what other instances, or people with psql, have revoked, and keeps the access keys in memory
/// up to date.
///
/// It listens for the announcements of the database and then queries what has changed. It also queries at an interval,
/// in case an announcement is lost. It counts as current as long as the listener's heartbeat proves that every
/// announcement up to a second ago has arrived and been followed by a query. Otherwise each call asks the database.
package final class RevocationFeed: Sendable {
    private enum State {
        /// `follow` has not been called. Only revocations by this instance are known; the database is not queried.
        case off
        case following(Progress)
    }

    private struct Progress {
        /// Nil before the listener has started and after it has ended.
        var notifications: Notifications?
        /// The number of announcements so far.
        var announced = 0
        /// The number of announcements that had arrived when the last successful query began.
        var covered = 0
        /// The companies that were announced since the last query. nil: announcements may be missing.
        var companies: Set<Int64>? = []
    }

    /// Notified by `SignInRevocation` and by triggers.
    private static let signInEnded = "auth_sign_in_ended"
    private static let accountChanged = "auth_account_changed"
    private static let accessKeyChanged = "auth_access_key_changed"
    /// Two heartbeats fit into the second for which the feed stays current, so that one late answer does no harm.
    private static let heartbeat: Duration = .milliseconds(400)
    /// How long a heartbeat may stay unanswered before the connection is replaced.
    private static let heartbeatTimeout: Duration = .milliseconds(1_500)
    /// The pause before a failed query is repeated.
    private static let retryDelay: Duration = .milliseconds(250)

    private let database: AuthDatabase
    private let revocations: RevocationList
    private let keys: AccessKeyRing
    private let keyStore: AccessKeyStore
    private let state = Mutex(State.off)
    /// The accounts of sign-ins that exist in the database, by the ids of the sign-ins and the companies of their tokens. An
    /// announcement that is lost empties it.
    private let confirmed = TokenCache<Int64>()

    init(database: AuthDatabase, revocations: RevocationList, keys: AccessKeyRing, keyStore: AccessKeyStore) {
        self.database = database
        self.revocations = revocations
        self.keys = keys
        self.keyStore = keyStore
    }

    /// Whether the revocation list is complete without a query.
    var isCurrent: Bool {
        state.withLock { state in
            guard case .following(let progress) = state else { return true }
            guard progress.announced == progress.covered, let upToDateAsOf = progress.notifications?.upToDateAsOf else {
                return false
            }
            return upToDateAsOf > .now - .seconds(1)
        }
    }

    /// Keeps the revocation list up to date until the calling task is cancelled. After that the feed is never current.
    ///
    /// - Parameter interval: the time between two queries when no announcement arrives.
    package func follow(every interval: Duration = .seconds(2)) async {
        defer { state.withLock { $0 = .following(Progress()) } }
        let notifications: Notifications
        do throws(PostgresError) {
            notifications = try database.client.listen(
                to: [Self.signInEnded, Self.accountChanged, Self.accessKeyChanged], heartbeat: Self.heartbeat,
                heartbeatTimeout: Self.heartbeatTimeout)
        } catch {
            preconditionFailure("the channel names are valid: \(error)")
        }
        state.withLock { $0 = .following(Progress(notifications: notifications)) }
        let (triggers, trigger) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            group.addTask {
                for await event in notifications {
                    switch event {
                    case .interrupted:
                        self.forget()
                        continue
                    case .listening(let mayHaveMissed):
                        if mayHaveMissed { self.forget() }
                    case .notification(let notification): self.note(notification)
                    }
                    self.update { $0.announced += 1 }
                    trigger.yield()
                }
                trigger.finish()
            }
            group.addTask {
                while await Self.sleep(for: interval) { trigger.yield() }
            }
            group.addTask {
                while await Self.sleep(for: interval) { await self.writeKeyUses() }
            }
            var lastQuery: ContinuousClock.Instant?
            for await _ in triggers {
                while !Task.isCancelled {
                    if await refresh(since: &lastQuery) { break }
                    guard await Self.sleep(for: Self.retryDelay) else { break }
                }
            }
            group.cancelAll()
        }
    }

    /// Announcements may have been lost.
    private func forget() {
        update { $0.companies = nil }
        confirmed.removeAll()
        keys.forgetCompleteness()
    }

    /// Rejects the access tokens and keys of a member that is gone for good.
    func end(_ member: Member) {
        revocations.end(member)
        keys.end(member)
    }

    /// Notes what no query finds: which sign-in, key or member was deleted.
    private func note(_ notification: PostgresNotification) {
        switch notification.channel {
        case Self.signInEnded: revocations.revoke(signIns: [notification.payload])
        case Self.accountChanged:
            if let member = Self.endedMember(in: notification.payload) { end(member) }
            if let company = Self.company(in: notification.payload) { update { $0.companies?.insert(company) } }
        case Self.accessKeyChanged: if let id = Int64(notification.payload) { keys.announce(id) }
        default: break
        }
    }

    /// The member of the payload `ended <company> <id>`; nil for another payload.
    private static func endedMember(in payload: String) -> Member? {
        let words = payload.split(separator: " ")
        guard words.count == 3, words[0] == "ended", let company = Int64(words[1]), let id = Int64(words[2]) else {
            return nil
        }
        return Member(company: company, id: id)
    }

    /// The company of the payload `company <id>`, which has been suspended, resumed or moved; nil for another payload.
    private static func company(in payload: String) -> Int64? {
        let words = payload.split(separator: " ")
        return words.count == 2 && words[0] == "company" ? Int64(words[1]) : nil
    }

    /// Queries the changes since the last query, which covers all announcements so far. Returns false if it failed.
    private func refresh(since lastQuery: inout ContinuousClock.Instant?) async -> Bool {
        let start = ContinuousClock.now
        var announced = 0
        var companies: Set<Int64>? = []
        update { progress in
            announced = progress.announced
            companies = progress.companies
            progress.companies = []
        }
        do throws(AuthError) {
            try await readReturned(to: companies, deadline: start + .seconds(2))
            let seconds = Self.secondsBack(since: lastQuery, now: start)
            try await refresh(seconds: seconds, deadline: start + .seconds(2))
            try await refreshKeys(seconds: seconds, deadline: start + .seconds(2))
        } catch {
            // The driver has logged the error. Until a query succeeds, `isCurrent` is false.
            update { progress in
                guard let before = companies, let since = progress.companies else { return progress.companies = nil }
                progress.companies = before.union(since)
            }
            return false
        }
        lastQuery = start
        update { $0.covered = announced }
        return true
    }

    private func update(_ change: (inout Progress) -> Void) {
        state.withLock { state in
            guard case .following(var progress) = state else { return }
            change(&progress)
            state = .following(progress)
        }
    }

    /// False if the task was cancelled in the meantime.
    private static func sleep(for time: Duration) async -> Bool {
        do {
            try await Task.sleep(for: time)
            return true
        } catch {
            return false
        }
    }

    /// How far a query goes back, in seconds.
    ///
    /// A transaction dates its changes at its begin and shows them at its commit, so each query overlaps the one before
    /// by a minute. No query goes back further than the list keeps its entries.
    private static func secondsBack(since lastQuery: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Double {
        guard let lastQuery else { return RevocationList.retention }
        return min(RevocationList.retention, (now - lastQuery) / .seconds(1) + 60)
    }

    /// Adds what has changed during the last `seconds`, and which companies are suspended or have moved, to the revocation
    /// list.
    func refresh(seconds: Double, deadline: ContinuousClock.Instant? = nil) async throws(AuthError) {
        let start = ContinuousClock.now
        let rows = try await database.query(Self.closed, deadline: deadline)
        var closed: [Int64: CompanyClosure] = [:]
        for row in 0..<rows.count {
            if let id = rows.text(row, 0).flatMap({ Int64($0) }) {
                closed[id] = CompanyClosure(in: rows, row: row, column: 1)
            }
        }
        revocations.set(closed: closed, asOf: start)
        let changes = try await database.query(Self.changes, [.text(String(seconds))], deadline: deadline)
        for row in 0..<changes.count {
            guard let id = changes.text(row, 0) else { continue }
            if changes.isNull(row, 1) {
                revocations.revoke(signIns: [id])
            } else if let id = Int64(id), let company = changes.text(row, 6).flatMap({ Int64($0) }),
                let state = AccountState(in: changes, row: row, firstColumn: 1)
            {
                revocations.set(state, of: Member(company: company, id: id))
            }
        }
    }

    /// Reads the members of these companies that were gone: one that was erased here may have moved back. nil: of all companies. While a
    /// company is erased its members are still there, inactive; they are gone again with their rows.
    private func readReturned(to companies: Set<Int64>?, deadline: ContinuousClock.Instant) async throws(AuthError) {
        let gone = revocations.gone(from: companies)
        guard !gone.isEmpty else { return }
        let start = ContinuousClock.now
        let rows = try await database.query(
            Self.returned,
            [
                .text("{\(gone.map { String($0.company) }.joined(separator: ","))}"),
                .text("{\(gone.map { String($0.id) }.joined(separator: ","))}"),
            ], deadline: deadline)
        for row in 0..<rows.count {
            guard let id = rows.text(row, 0).flatMap({ Int64($0) }),
                let state = AccountState(in: rows, row: row, firstColumn: 1),
                let company = rows.text(row, 6).flatMap({ Int64($0) })
            else { continue }
            revocations.comeBack(state, of: Member(company: company, id: id), asOf: start)
        }
    }

    /// Reads the access keys that have changed during the last `seconds` and those that were announced, or all keys if
    /// announcements were missed.
    private func refreshKeys(seconds: Double, deadline: ContinuousClock.Instant) async throws(AuthError) {
        let demand = keys.takeDemand()
        do throws(AuthError) {
            switch demand {
            case .all: keys.setAll(try await keyStore.all(deadline: deadline))
            case .announced(let ids):
                let changed = try await keyStore.changed(seconds: seconds, ids: ids, deadline: deadline)
                keys.set(changed, whichAreAllOf: ids)
            }
        } catch {
            keys.returnDemand(demand)
            throw error
        }
    }

    /// Reads the access keys that have changed during the last `seconds`.
    func refreshChangedKeys(
        seconds: Double, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        keys.set(try await keyStore.changed(seconds: seconds, ids: [], deadline: deadline))
    }

    /// Writes which keys have been used. What cannot be written now is written the next time.
    func writeKeyUses() async {
        let used = keys.takeUses()
        guard !used.isEmpty else { return }
        do throws(AuthError) {
            try await keyStore.noteUse(of: used, deadline: .now + .seconds(2))
        } catch {
            keys.returnUses(used)
        }
    }

    /// Adds the present state of a member and the ended sign-ins of its account to the revocation list. Returns the account if it is
    /// an active member of no company.
    func refresh(_ member: Member, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Int64? {
        let rows = try await database.query(
            Self.member, [.text(String(member.company)), .text(String(member.id))], deadline: deadline)
        guard let account = rows.text(0, 5).flatMap({ Int64($0) }) else { return nil }
        if let state = AccountState(in: rows, row: 0, firstColumn: 0) { revocations.set(state, of: member) }
        let ended = try await database.query(
            Self.endedSignInsOfUser, [.text(String(RevocationList.retention)), .text(String(account))],
            deadline: deadline)
        revocations.revoke(signIns: (0..<ended.count).compactMap { ended.text($0, 0) })
        return rows.text(0, 6) == "true" ? nil : account
    }

    /// Whether the database need not be asked if the sign-in is open: the sign-in is known to be open, or the feed is off.
    func isConfirmed(_ user: AuthenticatedUser) -> Bool {
        guard isCurrent else { return false }
        return confirmed[Self.key(user)] == user.accountID || isOff
    }

    /// Records that the sign-in of the user has just been read or written.
    func confirm(_ user: AuthenticatedUser) {
        confirmed.insert(user.accountID, for: Self.key(user))
    }

    /// A sign-in acts in several companies, in each with a token of its own.
    private static func key(_ user: AuthenticatedUser) -> String {
        user.company == 1 ? user.signInID : "\(user.signInID) \(user.company)"
    }

    /// Asks the database whether the sign-in is open, belongs to the account, and the account is an active member with the same roles
    /// that was not deactivated since the token was issued. Whether its company is closed goes into the revocation list.
    func confirms(_ user: AuthenticatedUser, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Bool {
        let start = ContinuousClock.now
        let rows = try await database.query(
            Self.signIn,
            [
                .text(user.signInID), .text(String(user.accountID)), .text(String(user.company)),
                .text(String(user.userID)), .text(String(user.deactivations)),
            ], deadline: deadline)
        guard rows.count == 1, rows.text(0, 0) == user.role,
            [HeldRole](in: rows, row: 0, column: 2) == user.additionalRoles
        else { return false }
        revocations.set(CompanyClosure(in: rows, column: 1), of: user.company, asOf: start)
        confirm(user)
        return true
    }

    /// Why no call is answered in the company; nil: calls are. As the revocation list has it, or as the database says while
    /// announcements are missing.
    func closure(
        of company: Int64, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> CompanyClosure? {
        if isCurrent { return revocations.closure(of: company) }
        let rows = try await database.query(Self.closure, [.text(String(company))], deadline: deadline)
        return rows.count == 1 ? CompanyClosure(in: rows, column: 0) : nil
    }

    /// Whether `follow` has not been called.
    var isOff: Bool {
        state.withLock { if case .off = $0 { true } else { false } }
    }

    /// Ended sign-ins, which have an id only, and changed members.
    private static let changes = Statement(
        """
        SELECT id::text, NULL, NULL, NULL, NULL, NULL, NULL FROM sign_ins
        WHERE ended_at > now() - make_interval(secs => $1::double precision)
        UNION ALL
        SELECT u.id::text, u.role::text, u.is_member::text, u.version::text, \([HeldRole].sql(of: "u")), u.deactivations::text,
            u.company_id::text
        FROM users u
        WHERE u.updated_at > now() - make_interval(secs => $1::double precision)
        """)
    private static let returned = Statement(
        """
        SELECT u.id::text, u.role::text, u.is_member::text, u.version::text, \([HeldRole].sql(of: "u")), u.deactivations::text,
            u.company_id::text
        FROM unnest($1::bigint[], $2::bigint[]) AS g (company_id, id)
        JOIN users u ON u.company_id = g.company_id AND u.id = g.id
        """)
    private static let closed = Statement(
        "SELECT c.id::text, \(CompanyClosure.column(of: "c")) FROM kernel.companies c WHERE c.suspended_at IS NOT NULL")
    private static let closure = Statement(
        "SELECT \(CompanyClosure.column(of: "c")) FROM kernel.companies c WHERE c.id = $1::bigint")
    private static let endedSignInsOfUser = Statement(
        """
        SELECT id::text FROM sign_ins
        WHERE ended_at > now() - make_interval(secs => $1::double precision) AND user_id = $2::bigint
        """)
    private static let member = Statement(
        """
        SELECT u.role::text, u.is_member::text, u.version::text, \([HeldRole].sql(of: "u")), u.deactivations::text,
            u.account_id::text,
            EXISTS (SELECT FROM users o WHERE o.account_id = u.account_id AND o.is_member)::text
        FROM users u WHERE u.company_id = $1::bigint AND u.id = $2::bigint
        """)
    private static let signIn = Statement(
        """
        SELECT u.role::text, \(CompanyClosure.column(of: "n")), \([HeldRole].sql(of: "u"))
        FROM sign_ins s JOIN users u ON u.account_id = s.user_id JOIN kernel.companies n ON n.id = u.company_id
        WHERE s.id = $1::uuid AND s.user_id = $2::bigint AND s.ended_at IS NULL
            AND u.company_id = $3::bigint AND u.id = $4::bigint AND u.is_member AND u.deactivations <= $5::bigint
        """)
}
