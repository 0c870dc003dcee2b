extension AuthService {
    /// Creates an access key for a member of the caller's company, in one of its roles.
    ///
    /// - Parameters:
    ///   - subject: the record that the account stands for in the role. It need not be given where there is only one.
    ///   - expiresAt: RFC 3339; nil: the key does not expire.
    ///   - caller: the account that creates it.
    /// - Throws: `.accessKey`, `.idempotency`, `.database`, `.timeout` or `.cancelled`.
    package func createAccessKey(
        for account: Int64, as role: String, subject: Int64? = nil, name: String, expiresAt: String? = nil,
        by caller: Member, on terms: WriteTerms = WriteTerms(), deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> AccessKeyCreation {
        let key = AccessKey()
        let outcome = try await accessKeys.create(
            key, named: name, for: account, as: HeldRole(role: role, subject: subject), until: expiresAt,
            by: caller, on: terms, deadline: deadline)
        switch outcome {
        case .done(let (summary, stored)):
            if terms.isDryRun { return .withoutKey(summary) }
            authenticator.keys.ring.set(CollectionOfOne(stored))
            return .created(summary, key: key.text)
        case .repeated(let answer):
            let id = answer.flatMap { Int64($0) } ?? 0
            return try await accessKeys.summary(id, in: caller.company, deadline: deadline).map { .withoutKey($0) }
                ?? .revoked(id)
        }
    }

    /// The access keys of a member that have not been revoked, the newest first. Nil if there is no such member.
    package func listAccessKeys(
        of member: Member, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [AccessKeySummary]? {
        try await accessKeys.list(of: member, deadline: deadline)
    }

    /// Revokes an access key of the caller's company.
    ///
    /// - Parameter caller: the account that revokes it.
    /// - Returns: false if there is no such key, or it has been revoked before by another call.
    package func revokeAccessKey(
        _ id: Int64, by caller: Member, on terms: WriteTerms = WriteTerms(),
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        switch try await accessKeys.revoke(id, by: caller, on: terms, deadline: deadline) {
        case .done(nil): return false
        case .done(let revoked?): if !terms.isDryRun { authenticator.keys.ring.set(CollectionOfOne(revoked)) }
        case .repeated: break
        }
        return true
    }

    private var accessKeys: AccessKeyStore { AccessKeyStore(database: database) }
}

/// What the creation of an access key answers.
package enum AccessKeyCreation: Sendable {
    /// The key itself is not stored anywhere.
    case created(AccessKeySummary, key: String)
    /// An earlier call with the same idempotency key has shown the key, or the creation was only tried.
    case withoutKey(AccessKeySummary)
    /// An earlier call with the same idempotency key has created this key, which was revoked since.
    case revoked(Int64)
}
