import PostgresDriver

extension AuthService {
    /// To be called when an account's role or whether it is active may have changed: access tokens that say otherwise
    /// are refused from now on, and a deactivated account's sign-ins end.
    package func accountChanged(
        _ userID: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        let isActive = try await feed.look(at: userID, deadline: deadline)
        if !isActive {
            revocations.end(signIns: try await ending.all(of: userID, deadline: deadline))
        }
    }

    /// The caller's own sign-ins that have not ended, the last used first.
    package func listSignIns(
        of caller: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [SignInSummary] {
        let rows = try await database.query(
            ownSignIns, [.text(String(caller.userID))], deadline: deadline)
        return (0..<rows.count).map { row in
            let id = rows.text(row, 0) ?? ""
            return SignInSummary(
                id: id, createdAt: rows.text(row, 1) ?? "", lastUsedAt: rows.text(row, 2) ?? "",
                userAgent: rows.text(row, 3), isCurrent: id == caller.signInID)
        }
    }

    /// Ends one of the caller's own sign-ins.
    ///
    /// - Returns: false when there is none of that id that has not ended.
    package func endSignIn(
        _ id: String, of caller: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        guard SignInID.isValid(id.lowercased()) else { return false }
        let ended = try await ending.one(id.lowercased(), of: caller.userID, deadline: deadline)
        revocations.end(signIns: ended)
        return !ended.isEmpty
    }
}

private let ownSignIns = Statement(
    """
    SELECT id::text, to_json(created_at) #>> '{}', to_json(last_used_at) #>> '{}', user_agent FROM sign_ins
    WHERE user_id = $1::bigint AND ended_at IS NULL
        AND last_used_at > now() - interval '30 days' AND created_at > now() - interval '90 days'
    ORDER BY last_used_at DESC, id
    """)
