import Mail

/// How reset links are delivered.
struct PasswordResetDelivery: Sendable {
    let channel: Mailing.Channel
    let from: MailAddress
    /// The URL of the page that sets a password, with `{token}` in place of the token. It is known when the server listens. `beginning`
    /// is that of the company's pages in the application, `/s/2`, or empty.
    let linkTemplate: @Sendable (_ beginning: String) -> String

    static let placeholder = "{token}"

    /// - Parameter beginning: that of the pages of the company which the person enters then; empty: the account decides.
    func link(to token: String, beginning: String = "") -> String {
        // Base64url needs no escaping anywhere in a URL.
        let parts = linkTemplate(beginning).split(separator: Self.placeholder, omittingEmptySubsequences: false)
        return parts.joined(separator: token)
    }
}
