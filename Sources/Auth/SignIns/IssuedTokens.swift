/// What somebody who has signed in, or refreshed, is given.
package struct IssuedTokens: Sendable {
    package let caller: AuthenticatedUser
    package let accessToken: String
    /// Seconds until the access token expires.
    package let expiresIn: Int
    package let refreshToken: String
}

/// One sign-in as its owner sees it in a list.
package struct SignInSummary: Sendable, Equatable {
    package let id: String
    /// RFC 3339, in UTC, as Postgres's `to_json` writes it but without quotes.
    package let createdAt: String
    package let lastUsedAt: String
    package let userAgent: String?
    package let isCurrent: Bool
}
