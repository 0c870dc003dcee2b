import PostgresDriver

extension AuthService {
    /// A one-time token for ``createFirstAdmin(token:email:username:password:deadline:)``, to be shown to whoever runs
    /// the service and to nobody else; nil where an active administrator exists.
    package func offerSetup(deadline: ContinuousClock.Instant? = nil) async throws(AuthError) -> String? {
        let rows = try await database.query(Self.hasAdmin, deadline: deadline)
        return rows.text(0, 0) == "true" ? nil : setupToken.make()
    }

    /// Makes the first administrator, by the token that was shown at the start.
    ///
    /// The token is used up once the account is there; an active administrator made in any other way ends it too.
    /// - Returns: the account's id; nil for a token that is not, or no longer, good.
    /// - Throws: `.password`, `.emailTaken`, or `.database` for an e-mail that the database refuses.
    package func createFirstAdmin(
        token: String, email: String, username: String?, password: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Int64? {
        guard setupToken.isGood(token) else { return nil }
        let hash = try await passwords.acceptedHash(of: password, email: email, deadline: deadline)
        let rows: Rows
        do throws(AuthError) {
            let step = Step(Self.firstAdmin, [.text(email), username.map { .text($0) } ?? .null, .text(hash)])
            rows = try await database.transaction([step], deadline: deadline)[0]
        } catch .database(let error) where error.sqlState == "23505" {
            throw .emailTaken
        }
        // Whether this call made it or another had: there is one now.
        setupToken.forget()
        return rows.text(0, 0).flatMap { Int64($0) }
    }

    private static let hasAdmin = Statement(
        "SELECT EXISTS (SELECT FROM users WHERE role = 'admin' AND is_active)::text")
    private static let firstAdmin = Statement("SELECT premier_admin($1::text, $2::text, $3::text)::text")
}
