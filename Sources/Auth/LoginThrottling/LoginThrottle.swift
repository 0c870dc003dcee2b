import PostgresDriver

/// Slows down whoever guesses passwords: by account, whether it exists or not, and by address, over all instances.
///
/// After so many failures within a quarter of an hour the next attempt has to wait a second, then two, then four, up to
/// a minute. Nobody is locked out: where an account has signed in from before, only the failures from there count, and a
/// reset by mail makes a place known.
///
/// A successful sign-in costs no statement of its own: the look at the account brings the counts along, and the
/// statement that starts the sign-in clears them.
struct LoginThrottle: Sendable {
    let database: AuthDatabase

    /// Failures that are free.
    static let ofAccount = 10
    static let ofAddress = 50
    /// Requests for resets of one address that are free.
    static let resetsOfAddress = 20
    /// Mails to one account that go out at once; then one every `pauseBetweenMails` seconds, so that the last one is
    /// always good for most of its half hour.
    static let mailsOfAccount = 3
    static let pauseBetweenMails = 300
    /// In seconds.
    static let longestPause = 60

    /// Whose attempt it is, and from where.
    struct Origin: Sendable {
        /// The e-mail as given or, of a caller who is known, as stored; its case does not matter.
        let email: String
        /// Nil: not known, as on a Unix socket.
        let network: String?
        /// Whether the account has signed in from there before.
        let isKnown: Bool
    }

    /// An account, found or not, and whether an attempt at it may be made.
    struct LoginAttemptCheck: Sendable {
        let account: SignInStore.Account?
        let origin: Origin
        /// How many seconds an attempt has to wait; nil when it may be made now.
        let wait: Int?
    }

    func look(
        email: String, network: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> LoginAttemptCheck {
        // No account has a longer one, or one with a NUL, which Postgres would refuse; the text is a stranger's.
        let name = email.unicodeScalars.prefix(320).map { $0 == "\0" ? "\u{FFFD}" : $0 }
        let text = String(String.UnicodeScalarView(name))
        let found = try await look(Self.byEmail, text, network, deadline)
        return found
            ?? LoginAttemptCheck(account: nil, origin: Origin(email: text, network: network, isKnown: false), wait: nil)
    }

    /// The same for a caller whose account is known to exist.
    func look(
        userID: Int64, network: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> LoginAttemptCheck? {
        try await look(Self.byID, String(userID), network, deadline)
    }

    /// Counts a wrong password.
    func failed(_ origin: Origin, deadline: ContinuousClock.Instant?) async throws(AuthError) {
        let step = Step(
            Self.failure,
            [.text(origin.email), origin.network.map { .text($0) } ?? .null, .text(String(origin.isKnown))])
        _ = try await database.transaction([step], deadline: deadline)
    }

    /// Counts something else that an address guessed wrong.
    func failed(network: String?, deadline: ContinuousClock.Instant?) async throws(AuthError) {
        guard let network else { return }
        _ = try await database.transaction([Step(Self.addressFailure, [.text(network)])], deadline: deadline)
    }

    /// Counts a request for a reset from an address.
    ///
    /// - Returns: how many seconds it has to wait; nil when it may be made.
    func admitReset(network: String?, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Int? {
        guard let network else { return nil }
        return try await wait(Self.resetOfAddress, network, deadline)
    }

    /// Counts a mail to an account; false when it has had enough for the moment.
    func admitMail(to email: String, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Bool {
        try await wait(Self.mailToAccount, email, deadline) == nil
    }

    /// A step of a transaction: forgets the failures that a right password makes up for.
    static func clearing(_ origin: Origin) -> Step {
        Step(
            clear, [.text(origin.email), origin.network.map { .text($0) } ?? .null, .text(String(origin.isKnown))])
    }

    private func wait(
        _ statement: Statement, _ name: String, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Int? {
        let rows = try await database.transaction([Step(statement, [.text(name)])], deadline: deadline)[0]
        return rows.text(0, 0).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    private func look(
        _ statement: Statement, _ key: String, _ network: String?, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> LoginAttemptCheck? {
        let rows = try await database.query(
            statement, [.text(key), network.map { .text($0) } ?? .null], deadline: deadline)
        guard rows.count == 1, let name = rows.text(0, 0) else { return nil }
        let account = rows.text(0, 1).flatMap { Int64($0) }.map { id in
            SignInStore.Account(
                userID: id, email: rows.text(0, 2) ?? "", isActive: rows.text(0, 3) == "true",
                passwordHash: rows.text(0, 4))
        }
        let origin = Origin(email: name, network: network, isKnown: rows.text(0, 5) == "true")
        return LoginAttemptCheck(account: account, origin: origin, wait: rows.text(0, 6).flatMap { Int($0) })
    }

    // MARK: SQL

    /// The slot that decides about a password for an account: the place's own where it is known.
    static func slot(email: String, network: String, isKnown: String) -> String {
        """
        CASE WHEN \(isKnown) THEN public.attempt_slot(1, \(email) || ' ' || \(network))
            ELSE public.attempt_slot(0, \(email)) END
        """
    }

    private static func looking(at account: String, name: String) -> Statement {
        Statement(
            """
            SELECT name, id::text, email::text, is_active::text, password_hash, is_known::text,
                (SELECT nullif(ceil(greatest(extract(epoch FROM max(a.not_before) - now()), 0)), 0)::integer::text
                 FROM attempts a
                 WHERE a.slot IN (\(slot(email: "name", network: "$2::text", isKnown: "is_known")),
                    public.attempt_slot(2, $2::text)))
            FROM (
                SELECT \(name) AS name, u.id, u.email, u.is_active, c.password_hash, k.user_id IS NOT NULL AS is_known
                FROM (VALUES (true)) one LEFT JOIN users u ON \(account)
                    LEFT JOIN credentials c ON c.user_id = u.id
                    LEFT JOIN known_places k
                        ON k.user_id = u.id AND k.network = $2::text AND k.last_used_at > now() - interval '90 days'
            ) found
            """)
    }

    private static let byEmail = looking(at: "lower(u.email) = lower($1::text)", name: "$1::text")
    private static let byID = looking(at: "u.id = $1::bigint", name: "u.email::text")
    /// Slots are locked in the order of their kinds, always.
    private static let failure = Statement(
        """
        SELECT CASE WHEN $3::boolean
                THEN public.note_attempt(1, $1::text || ' ' || $2::text, \(ofAccount), 1, \(longestPause))
                ELSE public.note_attempt(0, $1::text, \(ofAccount), 1, \(longestPause)) END,
            public.note_attempt(2, $2::text, \(ofAddress), 1, \(longestPause))
        """)
    private static let addressFailure = Statement(
        "SELECT public.note_attempt(2, $1::text, \(ofAddress), 1, \(longestPause))")
    private static let resetOfAddress = Statement(
        "SELECT ceil(public.note_attempt(3, $1::text, \(resetsOfAddress), 1, \(longestPause)))::integer::text")
    private static let mailToAccount = Statement(
        """
        SELECT ceil(public.note_attempt(4, $1::text, \(mailsOfAccount), \(pauseBetweenMails), \(pauseBetweenMails)))
            ::integer::text
        """)
    private static let clear = Statement(
        "DELETE FROM attempts WHERE slot = \(slot(email: "$1::text", network: "$2::text", isKnown: "$3::boolean"))")
}
