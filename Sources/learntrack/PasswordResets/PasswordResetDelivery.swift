import Mail

/// How the link to a new password reaches whoever asked for it.
struct PasswordResetDelivery: Sendable {
    enum Way: Sendable {
        case mail(SMTPServer)
        /// On a developer's own machine: into the log, where everyone who reads it could use it.
        case log
    }

    let way: Way
    let from: MailAddress
    /// With `{token}` where the token belongs.
    let linkTemplate: String

    static let placeholder = "{token}"

    func link(to token: String) -> String {
        // Base64url needs no escaping anywhere in an address.
        let parts = linkTemplate.split(separator: Self.placeholder, omittingEmptySubsequences: false)
        return parts.joined(separator: token)
    }
}
