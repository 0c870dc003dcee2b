import Crypto
import PostgresDriver
import TextEncodings

/// The tokens of reset mails, and of the mails that invite new accounts, in the database.
struct PasswordResets: Sendable {
    let database: AuthDatabase

    /// The account that a valid token belongs to.
    struct Target: Sendable {
        let account: Int64
        let email: String
    }

    /// Stores a token for the active account of `email`.
    ///
    /// - Returns: the e-mail as the account has it. Nil if there is no such account.
    func store(
        _ token: ResetToken, email: String, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> String? {
        let results = try await database.transaction(
            [Step(Self.prune), Step(Self.insert, [.bytes(token.hash), .text(email)])], deadline: deadline)
        return results[1].count == 1 ? results[1].text(0, 0) : nil
    }

    /// Stores a token that invites a person to a company, or the owner of an account to choose its first password.
    ///
    /// - Returns: the e-mail, and the name of the company that the person has not joined yet. Nil if nobody is to be invited.
    func storeInvitation(
        _ token: ResetToken, of member: Member, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> (email: String, company: String?)? {
        let invite = Step(
            Self.invite, [.bytes(token.hash), .text(String(member.company)), .text(String(member.id))])
        let results = try await database.transaction(
            [Step(Self.pruneInvitations), invite],
            deadline: deadline)
        guard results[1].count == 1, let email = results[1].text(0, 0) else { return nil }
        return (email, results[1].text(0, 1))
    }

    /// The account of a token, nil if the token is not valid, and the seconds that the network has to wait before it may
    /// present another one.
    func find(
        _ token: ResetToken?, network: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> (target: Target?, retryAfter: Int?) {
        let rows = try await database.query(
            Self.find, [token.map { .bytes($0.hash) } ?? .null, network.map { .text($0) } ?? .null], deadline: deadline)
        guard rows.count == 1 else { return (nil, nil) }
        let target = rows.text(0, 0).flatMap { Int64($0) }.map { Target(account: $0, email: rows.text(0, 1) ?? "") }
        return (target, rows.text(0, 2).flatMap { Int($0) })
    }

    /// Deletes a token, stores the new hash and ends all sign-ins of the account. The network becomes known for the
    /// throttle, since its user can read the mail of the account.
    ///
    /// - Returns: the ids of the ended sign-ins. Nil if the token is no longer valid.
    func use(
        _ token: ResetToken, of target: Target, storing hash: String, network: String?,
        deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [String]? {
        let origin = LoginThrottle.Origin(email: target.email, network: network, isKnown: false)
        let results = try await database.transaction(
            [
                Step(
                    Self.spend, [.bytes(token.hash), .text(hash), network.map { .text($0) } ?? .null]),
                SignInRevocation.stepOfOthers(of: target.account, except: nil, ifPasswordIs: hash),
                LoginThrottle.clearing(origin),
            ], deadline: deadline)
        return results[0].count == 1 ? SignInRevocation.ids(results[1]) : nil
    }

    private static let isValid = "r.created_at > now() - interval '\(ResetToken.lifetime) minutes'"
    private static let prune = Statement("DELETE FROM password_resets r WHERE NOT \(isValid)")
    private static let insert = Statement(
        """
        WITH account AS (
            SELECT a.id, a.email::text FROM kernel.accounts a WHERE lower(a.email) = lower($2::text)
                -- Who is invited may need it to join.
                AND EXISTS (SELECT FROM users u WHERE u.account_id = a.id AND u.is_active)
        ), stored AS (
            INSERT INTO password_resets (token_hash, user_id, email) SELECT $1::bytea, id, lower(email) FROM account
        )
        SELECT email FROM account
        """)
    private static let isInvited = "i.created_at > now() - interval '\(ResetToken.invitationLifetime) days'"
    private static let pruneInvitations = Statement("DELETE FROM kernel.invitation_tokens i WHERE NOT \(isInvited)")
    private static let invite = Statement(
        """
        WITH account AS (
            SELECT u.company_id, u.id, u.email::text,
                CASE WHEN u.joined_at IS NULL THEN (
                    SELECT n.name::text FROM kernel.companies n WHERE n.id = u.company_id) END AS company
            FROM users u
            WHERE u.company_id = $2::bigint AND u.id = $3::bigint AND u.is_active
                AND (u.joined_at IS NULL OR NOT EXISTS (SELECT FROM credentials c WHERE c.user_id = u.account_id))
        ), stored AS (
            INSERT INTO kernel.invitation_tokens (token_hash, company_id, user_id, email)
            SELECT $1::bytea, company_id, id, lower(email) FROM account
        )
        SELECT email, company FROM account
        """)
    /// A condition: the account `a` has the address that the mail went to, and is an active member of a company, or invited to one.
    private static func isAccount(_ token: String) -> String {
        """
        lower(a.email) = \(token).email AND EXISTS (SELECT FROM users u WHERE u.account_id = a.id AND u.is_active)
        """
    }
    /// A condition: `u` is the active member whom the token `i` invites.
    private static let isMember = """
        u.company_id = i.company_id AND u.id = i.user_id AND u.is_member AND lower(u.email) = i.email
        """
    private static let find = Statement(
        """
        SELECT t.account::text, t.address,
            (SELECT nullif(ceil(greatest(extract(epoch FROM a.not_before - now()), 0)), 0)::integer::text
             FROM attempts a WHERE a.slot = kernel.attempt_slot(2, $2::text))
        FROM (VALUES (true)) one LEFT JOIN (
            SELECT a.id AS account, a.email::text AS address FROM password_resets r
            JOIN kernel.accounts a ON a.id = r.user_id AND \(isAccount("r"))
            WHERE r.token_hash = $1::bytea AND \(isValid)
            UNION ALL
            SELECT u.account_id, u.email::text FROM kernel.invitation_tokens i JOIN users u ON \(isMember)
            WHERE i.token_hash = $1::bytea AND \(isInvited)) t ON true
        """)
    private static let spend = Statement(
        """
        WITH reset AS (
            DELETE FROM password_resets r USING kernel.accounts a
            WHERE r.token_hash = $1::bytea AND \(isValid) AND a.id = r.user_id AND \(isAccount("r"))
            RETURNING r.user_id
        ), invited AS (
            DELETE FROM kernel.invitation_tokens i USING users u
            WHERE i.token_hash = $1::bytea AND \(isInvited) AND \(isMember)
            RETURNING u.account_id AS user_id
        ), used AS (
            SELECT user_id FROM reset UNION ALL SELECT user_id FROM invited
        ), others AS (
            DELETE FROM password_resets r USING used WHERE r.user_id = used.user_id AND r.token_hash <> $1::bytea
        ), other_invitations AS (
            DELETE FROM kernel.invitation_tokens i USING used, users u
            WHERE u.account_id = used.user_id AND i.company_id = u.company_id AND i.user_id = u.id
                AND i.token_hash <> $1::bytea
        ), place AS (
            INSERT INTO known_places (user_id, network) SELECT user_id, $3::text FROM used WHERE $3::text IS NOT NULL
            ON CONFLICT (user_id, network) DO UPDATE SET last_used_at = now()
        )
        INSERT INTO credentials (user_id, password_hash) SELECT user_id, $2::text FROM used
        ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash
        RETURNING user_id
        """)
}

/// The token of a reset mail or an invitation: 256 random bits, of which the database stores a hash.
struct ResetToken: Sendable {
    /// In minutes.
    static let lifetime = 30
    /// In days.
    static let invitationLifetime = 7
    private static let textLength = 43

    private let secret: [UInt8]

    init() { secret = RandomBytes.make(32) }

    /// Nil if `text` does not have the form of a reset token.
    init?(_ text: String) {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text.utf8) else { return nil }
        secret = bytes
    }

    /// The form in which the token is mailed.
    var text: String { Base64URL.encode(secret) }

    /// What the database stores of the token.
    var hash: [UInt8] { Array(SHA256.hash(data: secret)) }
}
