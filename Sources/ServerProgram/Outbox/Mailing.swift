import Mail

/// How the server sends mails.
struct Mailing: Sendable {
    enum Channel: Sendable {
        case mail(SMTPServer)
        /// For a developer's own machine: everyone who can read the log could use the links in the mails.
        case log
    }

    /// Nil without a mail server.
    let channel: Channel?
    let from: MailAddress
}
