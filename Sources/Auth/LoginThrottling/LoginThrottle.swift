import PostgresDriver

/// Slows down password guessing, per account and per network of the client. The counts are in the database, so they hold
/// for all instances together.
///
/// After a number of failures within a quarter of an hour, the next attempt has to wait one second, then two, then four,
/// up to a minute. An account that does not exist is throttled like one that does. The owner of an account is not locked
/// out by others: from a network that the account has signed in from before, only the failures of that network count,
/// and a password reset by mail makes a network known.
///
/// A successful login needs no statement for this: the query that reads the account reads the counts too, and the
/// statement that starts the sign-in clears them.
struct LoginThrottle: Sendable {
    let database: AuthDatabase

    /// Failures before the first pause.
    static let freeFailuresPerAccount = 10
    static let freeFailuresPerNetwork = 50
    /// Requests for password resets before the first pause.
    static let freeResetRequestsPerNetwork = 20
    /// Reset mails to one account before the first pause.
    static let freeMailsPerAccount = 3
    /// The time between further mails, in seconds: short against the half hour for which the link in a mail is valid.
    static let mailInterval = 300
    /// In seconds.
    static let maxPause = 60

    /// The account and the network of an attempt.
    struct Origin: Sendable {
        /// As the client sent it, or as the database has it if the user is signed in. Its case is ignored.
        let email: String
        /// Nil if unknown, as on a Unix socket.
        let network: String?
        /// Whether the account has signed in from this network before.
        let isKnown: Bool

        fileprivate var parameters: [Parameter] {
            [.text(email), network.map { .text($0) } ?? .null, .text(String(isKnown))]
        }
    }

    /// Counts a wrong password.
    func recordFailure(_ origin: Origin, deadline: ContinuousClock.Instant?) async throws(AuthError) {
        _ = try await database.transaction([Step(Self.failure, origin.parameters)], deadline: deadline)
    }

    /// Counts an invalid token of a password reset, or a passkey that is not accepted: neither is an attempt at one account.
    func recordFailure(network: String?, deadline: ContinuousClock.Instant?) async throws(AuthError) {
        guard let network else { return }
        _ = try await database.transaction([Step(Self.networkFailure, [.text(network)])], deadline: deadline)
    }

    /// Counts a request for a password reset.
    ///
    /// - Returns: the seconds that the request has to wait. Nil if it is admitted.
    func countResetRequest(network: String?, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Int? {
        guard let network else { return nil }
        return try await retryAfter(Self.resetRequest, network, deadline)
    }

    /// Counts a reset mail to an account. Returns whether it may be sent now.
    func admitsMail(to email: String, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Bool {
        try await retryAfter(Self.mail, email, deadline) == nil
    }

    /// A step of a transaction that clears the failures of an origin after the correct password was given.
    static func clearing(_ origin: Origin) -> Step {
        Step(clear, origin.parameters)
    }

    private func retryAfter(
        _ statement: Statement, _ name: String, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Int? {
        let rows = try await database.row(of: Step(statement, [.text(name)]), deadline: deadline)
        return rows.text(0, 0).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    // MARK: SQL

    /// The slot of `attempts` that decides about a password: the slot of account and network together if the network is
    /// known, otherwise the slot of the account.
    static func slot(email: String, network: String, isKnown: String) -> String {
        """
        CASE WHEN \(isKnown) THEN kernel.attempt_slot(1, \(email) || ' ' || \(network))
            ELSE kernel.attempt_slot(0, \(email)) END
        """
    }

    /// Always locks the slots in the order of their kinds, so that two failures cannot deadlock.
    private static let failure = Statement(
        """
        SELECT CASE WHEN $3::boolean
                THEN kernel.note_attempt(1, $1::text || ' ' || $2::text, \(freeFailuresPerAccount), 1, \(maxPause))
                ELSE kernel.note_attempt(0, $1::text, \(freeFailuresPerAccount), 1, \(maxPause)) END,
            kernel.note_attempt(2, $2::text, \(freeFailuresPerNetwork), 1, \(maxPause))
        """)
    private static let networkFailure = Statement(
        "SELECT kernel.note_attempt(2, $1::text, \(freeFailuresPerNetwork), 1, \(maxPause))")
    private static let resetRequest = Statement(
        "SELECT ceil(kernel.note_attempt(3, $1::text, \(freeResetRequestsPerNetwork), 1, \(maxPause)))::integer::text")
    private static let mail = Statement(
        """
        SELECT ceil(kernel.note_attempt(4, $1::text, \(freeMailsPerAccount), \(mailInterval), \(mailInterval)))
            ::integer::text
        """)
    private static let clear = Statement(
        "DELETE FROM attempts WHERE slot = \(slot(email: "$1::text", network: "$2::text", isKnown: "$3::boolean"))")
}
