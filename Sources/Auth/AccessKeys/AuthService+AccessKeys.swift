extension AuthService {
    /// Creates an access key for an account, in one of its roles.
    ///
    /// - Parameters:
    ///   - subject: the record that the account stands for in the role. It need not be given where there is only one.
    ///   - expiresAt: RFC 3339; nil: the key does not expire.
    /// - Returns: what the list of keys shows of it, and the key itself, which is not stored anywhere.
    /// - Throws: `.accessKey`, `.database`, `.timeout` or `.cancelled`.
    package func createAccessKey(
        for account: Int64, as role: String, subject: Int64? = nil, name: String, expiresAt: String? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> (AccessKeySummary, key: String) {
        let key = AccessKey()
        let (summary, stored) = try await accessKeys.create(
            key, named: name, for: account, as: HeldRole(role: role, subject: subject), until: expiresAt,
            deadline: deadline)
        authenticator.keys.ring.set(CollectionOfOne(stored))
        return (summary, key.text)
    }

    /// The access keys of an account that have not been revoked, the newest first. Nil if there is no such account.
    package func listAccessKeys(
        of account: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [AccessKeySummary]? {
        try await accessKeys.list(of: account, deadline: deadline)
    }

    /// Revokes an access key.
    ///
    /// - Returns: false if there is no such key, or it has been revoked before.
    package func revokeAccessKey(
        _ id: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        guard let revoked = try await accessKeys.revoke(id, deadline: deadline) else { return false }
        authenticator.keys.ring.set(CollectionOfOne(revoked))
        return true
    }

    private var accessKeys: AccessKeyStore { AccessKeyStore(database: database) }
}
