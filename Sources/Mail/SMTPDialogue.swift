/// What a client and a mail server have said to each other so far, as far as it tells what a failure concerns.
struct SMTPDialogue: Sendable {
    /// What the server was last asked.
    enum Stage: Sendable, Equatable {
        /// Nothing: it greets.
        case greeting
        /// EHLO, HELO or STARTTLS.
        case hello
        case login
        /// MAIL, with the sender.
        case sender
        /// RCPT, with the recipient.
        case recipient
        /// DATA.
        case data
        /// The content of the mail.
        case content
    }

    /// The last line of a reply.
    struct Reply: Sendable, Equatable {
        /// Such as 550.
        let code: Int
        /// The enhanced status code (RFC 3463), such as `5.1.1`; nil if the reply has none.
        let status: [Int]?

        /// Nil if `line` is not a line of a reply.
        init?(_ line: some Collection<UInt8>) {
            let line = String(decoding: line.prefix { $0 >= 0x20 }.prefix(64), as: UTF8.self)
            guard
                let match = line.prefixMatch(
                    of: /([2-5][0-9]{2})(?:[ \-](?:([245])\.([0-9]{1,3})\.([0-9]{1,3})\b)?|$)/),
                let code = Int(match.1)
            else { return nil }
            self.code = code
            status = match.2.flatMap { first in
                match.3.flatMap { second in match.4.map { [first, second, $0].compactMap { Int($0) } } }
            }
        }

        /// For the log. The words of a reply may have addresses in them.
        var description: String {
            status.map { "\(code) \($0.map(String.init).joined(separator: "."))" } ?? "\(code)"
        }
    }

    private(set) var stage = Stage.greeting
    /// To what was last asked; nil while there is none.
    private(set) var reply: Reply?
    private var hasEnded = false

    /// - Parameter line: a command, or a line of a login.
    mutating func sent(_ line: some Collection<UInt8>) {
        let word = String(decoding: line.prefix { $0 > 0x20 }, as: UTF8.self).uppercased()
        // The reply before it is the one that counts.
        if word == "QUIT" { hasEnded = true }
        guard !hasEnded else { return }
        reply = nil
        switch word {
        case "EHLO", "HELO", "STARTTLS": stage = .hello
        case "AUTH": stage = .login
        case "MAIL": stage = .sender
        case "RCPT": stage = .recipient
        case "DATA": stage = .data
        default: break
        }
    }

    /// - Parameter line: of a reply.
    mutating func received(_ line: some Collection<UInt8>) {
        guard !hasEnded, let reply = Reply(line) else { return }
        self.reply = reply
    }

    mutating func sentContent() {
        guard !hasEnded, stage != .content else { return }
        stage = .content
        reply = nil
    }

    /// What the last reply concerns if it refuses; nil if there is none, or it does not.
    ///
    /// Only a reply about the recipient or the mail concerns the message. The others would be the same for every mail.
    var refusal: (concern: SMTPError.Concern, isFinal: Bool)? {
        guard let reply, reply.code >= 400 else { return nil }
        switch stage {
        case .greeting, .hello: return (.server, false)
        case .login: return (.login, false)
        case .sender: return (reply.concernsLogin(afterContent: false) ? .login : .sender, false)
        case .recipient, .data, .content:
            let isAfter = stage == .content
            if reply.concernsLogin(afterContent: isAfter) { return (.login, false) }
            if reply.concernsServer(afterContent: isAfter) { return (.server, false) }
            return (.message, reply.code >= 500)
        }
    }
}

// A server that has seen the content speaks about it, when it names a policy ("5.7.1 rejected as spam"). Before, the same reply
// is about the login or about this machine ("5.7.1 relay access denied").
extension SMTPDialogue.Reply {
    /// Whether authentication is required, too weak or wrong (RFC 4954), or comes first (503).
    fileprivate func concernsLogin(afterContent: Bool) -> Bool {
        if [503, 530, 534, 535, 538].contains(code) { return true }
        guard code >= 500, let status, status[1] == 7 else { return false }
        return [8, 9, 11].contains(status[2]) || (status[2] == 0 && !afterContent)
    }

    /// Whether the server takes no mail, or none from here.
    fileprivate func concernsServer(afterContent: Bool) -> Bool {
        // It closes the connection (421, 521), or does not know the command.
        if [421, 500, 502, 504, 521].contains(code) { return true }
        guard code >= 500, let status else { return false }
        switch status[1] {
        // The system, except "message too big for system"; the network and its limits.
        case 3: return status[2] != 4
        case 4: return true
        case 7: return !afterContent || status[2] > 1
        default: return false
        }
    }
}
