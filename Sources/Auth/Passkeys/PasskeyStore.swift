import PostgresDriver
import TextEncodings

/// The passkeys in the database.
struct PasskeyStore: Sendable {
    let database: AuthDatabase

    /// The name and the passkeys of an account, for a browser that is to make another. Nil if there is no such active
    /// account.
    func user(_ user: AuthenticatedUser, deadline: ContinuousClock.Instant?) async throws(AuthError) -> PasskeyUser? {
        let rows = try await database.query(
            Self.user, [.text(String(user.company)), .text(String(user.userID))], deadline: deadline)
        guard rows.count > 0, let email = rows.text(0, 0) else { return nil }
        let known = (0..<rows.count).compactMap { row -> PasskeyUser.Known? in
            guard let id = rows.text(row, 2).flatMap(HexText.bytes) else { return nil }
            let transports = rows.text(row, 3)?.split(separator: " ").map(String.init) ?? []
            return PasskeyUser.Known(id: id, transports: transports)
        }
        return PasskeyUser(account: user.accountID, email: email, displayName: rows.text(0, 1) ?? email, known: known)
    }

    func add(
        _ new: VerifiedPasskey, transports: [String], named name: String, to user: AuthenticatedUser,
        on terms: WriteTerms,
        deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> WriteOutcome<PasskeySummary> {
        let step = Step(
            Self.insert,
            [
                .text(String(user.accountID)), .text(name), .bytes(new.credential.id), .bytes(new.credential.key.bytes),
                .text(String(new.signCount)), .text(transports.joined(separator: " ")), .bytes(new.challenge.nonce),
                .text(String(new.challenge.expiresAt)), .text(String(new.mayBeBackedUp)),
            ])
        let rows: Rows
        switch try await database.write([step], by: user.member, on: terms, deadline: deadline) {
        case .done(let results): rows = results[0]
        case .repeated(let answer): return .repeated(answer: answer)
        }
        if let error = rows.text(0, 0).flatMap(PasskeyError.init(rawValue:)) { throw .passkey(error) }
        guard let summary = Self.summaries(in: rows, firstColumn: 1).first else { throw .noSuchAccount }
        return .done(summary)
    }

    /// What an earlier call with the same idempotency key has answered.
    ///
    /// - Throws: `.passkey(.challenge)` if there was none.
    func earlierAddition(
        by user: AuthenticatedUser, on terms: WriteTerms, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> WriteOutcome<PasskeySummary> {
        guard terms.once != nil,
            case .repeated(let answer) = try await database.write([], by: user.member, on: terms, deadline: deadline)
        else { throw .passkey(.challenge) }
        return .repeated(answer: answer)
    }

    /// A passkey of an account.
    func summary(
        _ id: Int64, of account: Int64, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> PasskeySummary? {
        let rows = try await database.query(
            Self.one, [.text(String(account)), .text(String(id))], deadline: deadline)
        return Self.summaries(in: rows).first
    }

    /// The passkeys of an account, the newest first.
    func list(of account: Int64, deadline: ContinuousClock.Instant?) async throws(AuthError) -> [PasskeySummary] {
        Self.summaries(in: try await database.query(Self.all, [.text(String(account))], deadline: deadline))
    }

    /// - Returns: false if the account has no such passkey.
    func remove(
        _ id: Int64, of user: AuthenticatedUser, on terms: WriteTerms, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Bool {
        let step = Step(Self.delete, [.text(String(user.accountID)), .text(String(id))])
        return switch try await database.write([step], by: user.member, on: terms, deadline: deadline) {
        case .done(let results): results[0].count > 0
        case .repeated: true
        }
    }

    // MARK: Signing in

    /// A passkey as a sign-in needs it.
    struct Known: Sendable {
        let id: Int64
        let account: Int64
        let key: PasskeyPublicKey
        /// Nil for one that was added before this was kept.
        let mayBeBackedUp: Bool?
    }

    /// The passkey with this id of its authenticator, and the seconds that the network has to wait before its next attempt.
    func find(
        _ credentialID: [UInt8], network: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> (passkey: Known?, retryAfter: Int?) {
        let rows = try await database.query(
            Self.byCredential, [.bytes(credentialID), network.map { .text($0) } ?? .null], deadline: deadline)
        guard rows.count == 1 else { return (nil, nil) }
        return (Self.known(in: rows), rows.text(0, 3).flatMap { Int($0) })
    }

    private static func known(in rows: Rows) -> Known? {
        guard let id = rows.text(0, 0).flatMap({ Int64($0) }), let account = rows.text(0, 1).flatMap({ Int64($0) }),
            let bytes = rows.text(0, 2).flatMap(HexText.bytes)
        else { return nil }
        do throws(PasskeyError) {
            return Known(
                id: id, account: account, key: try PasskeyPublicKey(bytes: bytes),
                mayBeBackedUp: rows.text(0, 4).map { $0 == "true" })
        } catch {
            return nil
        }
    }

    private static func summaries(in rows: Rows, firstColumn column: Int = 0) -> [PasskeySummary] {
        (0..<rows.count).compactMap { row in
            guard let id = rows.text(row, column).flatMap({ Int64($0) }), let createdAt = rows.text(row, column + 2)
            else {
                return nil
            }
            return PasskeySummary(
                id: id, name: rows.text(row, column + 1) ?? "", createdAt: createdAt,
                lastUsedAt: rows.text(row, column + 3))
        }
    }

    // MARK: Statements

    private static func summaryColumns(_ row: String) -> String {
        """
        \(row).id::text, \(row).name::text, to_json(\(row).created_at) #>> '{}', to_json(\(row).last_used_at) #>> '{}'
        """
    }
    /// Leaves the id as the answer of the write.
    private static func answer(_ row: String) -> String {
        "set_config('learntrack.answers', jsonb_build_array(\(row).id::text)::text, true)"
    }
    private static let user = Statement(
        """
        SELECT u.email::text, u.username::text, encode(p.credential_id, 'hex'), p.transports
        FROM users u LEFT JOIN kernel.passkeys p ON p.account_id = u.account_id
        WHERE u.company_id = $1::bigint AND u.id = $2::bigint AND u.is_member ORDER BY p.id
        """)
    private static let insert = Statement(
        """
        SELECT outcome, \(summaryColumns("(created)")), CASE outcome WHEN 'created' THEN \(answer("(created)")) END
        FROM kernel.add_passkey(
            $1::bigint, $2::text, $3::bytea, $4::bytea, $5::bigint, $6::text, $7::bytea,
            to_timestamp($8::double precision), $9::boolean)
        """)
    private static let all = Statement(
        "SELECT \(summaryColumns("p")) FROM kernel.passkeys p WHERE p.account_id = $1::bigint ORDER BY p.id DESC")
    private static let one = Statement(
        "SELECT \(summaryColumns("p")) FROM kernel.passkeys p WHERE p.account_id = $1::bigint AND p.id = $2::bigint")
    private static let delete = Statement(
        """
        DELETE FROM kernel.passkeys p WHERE p.account_id = $1::bigint AND p.id = $2::bigint
        RETURNING p.id::text, \(answer("p"))
        """)
    private static let byCredential = Statement(
        """
        SELECT p.id::text, p.account_id::text, encode(p.public_key, 'hex'),
            (SELECT nullif(ceil(greatest(extract(epoch FROM a.not_before - now()), 0)), 0)::integer::text
             FROM attempts a WHERE a.slot = kernel.attempt_slot(2, $2::text)),
            p.may_be_backed_up::text
        FROM (VALUES (true)) one LEFT JOIN kernel.passkeys p ON p.credential_id = $1::bytea
        """)
}

/// One passkey in the list of its account.
package struct PasskeySummary: Sendable, Equatable {
    package let id: Int64
    package let name: String
    /// RFC 3339 in UTC.
    package let createdAt: String
    /// RFC 3339 in UTC; nil: it has not been used.
    package let lastUsedAt: String?
}

/// An account as a browser shows it with a new passkey.
package struct PasskeyUser: Sendable {
    /// A passkey that the account has.
    package struct Known: Sendable {
        package let id: [UInt8]
        package let transports: [String]
    }

    let account: Int64
    package let email: String
    package let displayName: String
    /// An authenticator makes no second passkey beside one of these.
    package let known: [Known]

    /// What authenticators keep with a passkey, and give back with each signature.
    package var handle: [UInt8] { Self.handle(of: account) }

    static func handle(of account: Int64) -> [UInt8] { Array(String(account).utf8) }
}
