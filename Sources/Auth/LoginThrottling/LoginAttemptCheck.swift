import PostgresDriver

/// The account of a login attempt, and whether the throttle admits the attempt.
struct LoginAttemptCheck: Sendable {
    /// Nil if there is no such account.
    let account: SignInStore.Account?
    let origin: LoginThrottle.Origin
    /// The seconds that the attempt has to wait. Nil if it is admitted.
    let retryAfter: Int?

    /// The part of the hashing queue that the attempt belongs to. An attempt for an account that does not exist belongs
    /// to that of an attempt from a network that its account has not signed in from.
    var hashingOrigin: HashingOrigin {
        if origin.isKnown, let account { .known(account: account.email) } else { .stranger(network: origin.network) }
    }
}

extension LoginThrottle {
    /// Reads the account of an e-mail and the counts that apply to it, without counting an attempt.
    func check(
        email: String, network: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> LoginAttemptCheck {
        // The text comes from an unauthenticated client. No account has a longer e-mail or one with a NUL character,
        // which Postgres would reject.
        let name = email.unicodeScalars.prefix(320).map { $0 == "\0" ? "\u{FFFD}" : $0 }
        let text = String(String.UnicodeScalarView(name))
        let found = try await check(Self.byEmail, text, network, deadline)
        let unknown = Origin(email: text, network: network, isKnown: false)
        return found ?? LoginAttemptCheck(account: nil, origin: unknown, retryAfter: nil)
    }

    /// Reads the account of a signed-in user and the counts that apply to it. Nil if the account is gone.
    func check(
        account: Int64, network: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> LoginAttemptCheck? {
        try await check(Self.byID, String(account), network, deadline)
    }

    private func check(
        _ statement: Statement, _ key: String, _ network: String?, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> LoginAttemptCheck? {
        let rows = try await database.query(
            statement, [.text(key), network.map { .text($0) } ?? .null], deadline: deadline)
        guard rows.count == 1, let name = rows.text(0, 0) else { return nil }
        let account = rows.text(0, 1).flatMap { Int64($0) }.map { id in
            SignInStore.Account(
                id: id, email: rows.text(0, 2) ?? "", isActive: rows.text(0, 3) == "true",
                passwordHash: rows.text(0, 4))
        }
        let origin = Origin(email: name, network: network, isKnown: rows.text(0, 5) == "true")
        return LoginAttemptCheck(account: account, origin: origin, retryAfter: rows.text(0, 6).flatMap { Int($0) })
    }

    private static let byEmail = statement(account: "lower(owner.email) = lower($1::text)", name: "$1::text")
    private static let byID = statement(account: "owner.id = $1::bigint", name: "owner.email::text")

    /// Columns: name, the columns of the account, whether the network is known, the seconds to wait.
    private static func statement(account: String, name: String) -> Statement {
        Statement(
            """
            SELECT name, id::text, email::text, is_active::text, password_hash, is_known::text,
                (SELECT nullif(ceil(greatest(extract(epoch FROM max(a.not_before) - now()), 0)), 0)::integer::text
                 FROM attempts a
                 WHERE a.slot IN (\(slot(email: "name", network: "$2::text", isKnown: "is_known")),
                    kernel.attempt_slot(2, $2::text)))
            FROM (
                SELECT \(name) AS name, owner.id, owner.email,
                    EXISTS (SELECT FROM users m WHERE m.account_id = owner.id AND m.is_member) AS is_active,
                    c.password_hash, k.user_id IS NOT NULL AS is_known
                FROM (VALUES (true)) one LEFT JOIN kernel.accounts owner ON \(account)
                    LEFT JOIN credentials c ON c.user_id = owner.id
                    LEFT JOIN known_places k
                        ON k.user_id = owner.id AND k.network = $2::text AND k.last_used_at > now() - interval '90 days'
            ) found
            """)
    }
}
