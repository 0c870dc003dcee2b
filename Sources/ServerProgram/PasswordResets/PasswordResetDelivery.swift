import Mail

/// How reset links are delivered.
struct PasswordResetDelivery: Sendable {
    let channel: Mailing.Channel
    let from: MailAddress
    /// The URL of the page that sets a password, with `{token}` in place of the token. It is known when the server listens.
    let linkTemplate: @Sendable () -> String

    static let placeholder = "{token}"

    func link(to token: String) -> String {
        // Base64url needs no escaping anywhere in a URL.
        let parts = linkTemplate().split(separator: Self.placeholder, omittingEmptySubsequences: false)
        return parts.joined(separator: token)
    }
}
