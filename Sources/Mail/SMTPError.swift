/// Why a mail could not be sent. The description contains neither addresses nor content, so that it may be logged.
package struct SMTPError: Error, Sendable, CustomStringConvertible {
    /// What a failure concerns. Only ``message`` is about one mail; any other would be the same for every mail, unless it is
    /// doubtful.
    package enum Concern: String, Sendable, CaseIterable {
        /// The mail server is not reached, does not answer, or does not speak SMTP.
        case connection
        /// There is no encryption, or the certificate is not accepted.
        case encryption
        /// The mail server takes no mails, not from here, or not at present.
        case server
        /// The mail server does not accept the login.
        case login
        /// The mail server does not accept the sender.
        case sender
        /// The mail server does not take this mail, or not for this recipient.
        case message
        /// The attempt was aborted from here.
        case interruption
    }

    package let concern: Concern
    /// The code of the server's reply, such as 550. Nil if there was none.
    package let reply: Int?
    /// Whether the server will never take this mail: its reply is about the mail or the recipient, and from 500 on.
    package let isFinal: Bool
    /// Whether the failure may concern this mail or every mail: a final refusal that others may meet, or a connection that ends once
    /// the server knows the recipient. ``description`` tells whether another failure is the same.
    package let isDoubtful: Bool
    /// Whether the server may have taken the mail all the same: it had all of it, and has not refused it.
    package let mayHaveLeft: Bool
    package let description: String

    init(
        _ concern: Concern, reply: Int? = nil, isFinal: Bool = false, isDoubtful: Bool = false,
        mayHaveLeft: Bool = false, _ description: String
    ) {
        self.concern = concern
        self.reply = reply
        self.isFinal = isFinal
        self.isDoubtful = isDoubtful
        self.mayHaveLeft = mayHaveLeft
        self.description = description
    }
}
