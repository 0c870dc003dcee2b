/// Who is calling: what a verified access token says.
package struct AuthenticatedUser: Sendable, Hashable {
    package let userID: Int64
    /// The sign-in the token was issued under, as a lower-case UUID.
    package let signInID: String
    /// One of the roles the service was given.
    package let role: String

    package init(userID: Int64, signInID: String, role: String) {
        self.userID = userID
        self.signInID = signInID
        self.role = role
    }
}
