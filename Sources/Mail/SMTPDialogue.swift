/// What a client and a mail server have said to each other so far, as far as it tells what a failure concerns.
struct SMTPDialogue: Sendable {
    /// What the server was last asked.
    enum Stage: Sendable, Comparable {
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

    /// A reply, which may have several lines.
    struct Reply: Sendable, Equatable {
        /// Such as 550.
        let code: Int
        /// The enhanced status code (RFC 3463), such as `5.1.1`; nil if the reply has none.
        private(set) var status: [Int]?
        private var wording: Wording

        /// Nil if `line` is not a line of a reply.
        init?(_ line: some Collection<UInt8>) {
            let line = String(decoding: line.prefix { $0 >= 0x20 }.prefix(512), as: UTF8.self)
            guard
                let match = line.prefixMatch(
                    of: /([2-5][0-9]{2})(?:[ \-](?:([245])\.([0-9]{1,3})\.([0-9]{1,3})\b)?|$)/),
                let code = Int(match.1)
            else { return nil }
            self.code = code
            status = match.2.flatMap { first in
                match.3.flatMap { second in match.4.map { [first, second, $0].compactMap { Int($0) } } }
            }
            wording = Wording(of: line.lowercased())
        }

        /// The reply with a further line of it.
        func followed(by line: Reply) -> Reply {
            guard code == line.code else { return line }
            var reply = self
            reply.status = line.status ?? status
            reply.wording.formUnion(line.wording)
            return reply
        }

        /// For the log. The words of a reply may have addresses in them.
        var description: String {
            status.map { "\(code) \($0.map(String.init).joined(separator: "."))" } ?? "\(code)"
        }

        /// What the words of a reply say. Many servers give the same status to different refusals.
        private struct Wording: OptionSet {
            let rawValue: Int

            /// This machine or this login may not send to other servers.
            static let relaying = Wording(rawValue: 1)
            static let login = Wording(rawValue: 2)
            /// About this machine: Postfix says so only when it has the recipient.
            static let client = Wording(rawValue: 4)
            /// The same about the sender.
            static let sender = Wording(rawValue: 8)
            static let recipient = Wording(rawValue: 16)
            /// So many mails were sent that no others are taken.
            static let limit = Wording(rawValue: 32)

            init(rawValue: Int) { self.rawValue = rawValue }

            /// - Parameter text: a line in lower case.
            init(of text: String) {
                self = []
                if text.contains(/\brelay|\brcpthosts\b/) { insert(.relaying) }
                if text.contains(/auth(entication)? (is )?(required|needed)/)
                    || text.contains(/(must|please) (first )?(authenticate|log ?in)|not authenticated/)
                {
                    insert(.login)
                }
                if text.contains(/client host rejected|helo command rejected/) { insert(.client) }
                if text.contains("sender address rejected") { insert(.sender) }
                if text.contains("recipient address rejected") { insert(.recipient) }
                if text.contains(/\bquota\b|\blimit (has been |was )?(exceeded|reached)/)
                    || text.contains(/exceeded [a-z ]*\b(limit|threshold)/)
                {
                    insert(.limit)
                }
            }
        }
    }

    private(set) var stage = Stage.greeting
    /// libcurl sends none when the server offers none that it knows.
    private(set) var hasTriedLogin = false
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
        case "AUTH":
            stage = .login
            hasTriedLogin = true
        case "MAIL": stage = .sender
        case "RCPT": stage = .recipient
        case "DATA": stage = .data
        default: break
        }
    }

    /// - Parameter line: of a reply.
    mutating func received(_ line: some Collection<UInt8>) {
        guard !hasEnded, let next = Reply(line) else { return }
        reply = reply?.followed(by: next) ?? next
    }

    mutating func sentContent() {
        guard !hasEnded, stage != .content else { return }
        stage = .content
        reply = nil
    }

    /// A reply that refuses what was asked.
    struct Refusal: Sendable, Equatable {
        let concern: SMTPError.Concern
        /// Whether this mail will never be taken.
        var isFinal = false
        /// Whether the reply may be about this mail or about every mail.
        var isDoubtful = false
    }

    /// Whether the server knows the recipient, so that a failure may be about this mail alone.
    var knowsRecipient: Bool { stage >= .recipient }

    /// What the last reply concerns if it refuses; nil if there is none, or it does not.
    ///
    /// Only a reply about the recipient or the mail concerns the message. The others would be the same for every mail.
    var refusal: Refusal? {
        guard let reply, reply.code >= 400 else { return nil }
        switch stage {
        case .greeting, .hello: return Refusal(concern: .server)
        case .login: return Refusal(concern: .login)
        case .sender where reply.code == 421: return Refusal(concern: .server)
        case .sender: return Refusal(concern: reply.asksForLogin ? .login : .sender)
        case .recipient, .data, .content:
            let isAfter = stage == .content
            // Filters end the connection with this for one recipient or one content, and a server that stops with it for all.
            if reply.code == 421 { return Refusal(concern: .server, isDoubtful: true) }
            if let concern = reply.commonConcern(afterContent: isAfter) { return Refusal(concern: concern) }
            let isFinal = reply.code >= 500
            return Refusal(
                concern: .message, isFinal: isFinal,
                isDoubtful: isFinal
                    && (stage == .recipient ? reply.resemblesCommonOne : !reply.isAboutThisMail))
        }
    }
}

// A server that has seen the content speaks about it, when it names a policy ("5.7.1 rejected as spam"). Before, the same reply
// may be about the recipient ("5.7.1 recipient address rejected"), the login or this machine ("5.7.1 relay access denied").
extension SMTPDialogue.Reply {
    /// Whether authentication is required, too weak or wrong (RFC 4954), or comes first (503).
    fileprivate var asksForLogin: Bool {
        if [503, 530, 534, 535, 538].contains(code) { return true }
        return code >= 500 && status.map { $0[1] == 7 && [0, 8, 9, 11].contains($0[2]) } ?? false
    }

    /// What a reply concerns that is about every mail for certain; nil for any other.
    fileprivate func commonConcern(afterContent: Bool) -> SMTPError.Concern? {
        switch code {
        case 530, 534, 535, 538: return .login
        case 503 where !afterContent: return .login
        // It closes the connection, or does not know the command.
        case 500, 502, 504, 521: return .server
        default: break
        }
        switch (status?[1], status?[2]) {
        // The address of the sender, or its domain; the right to send as it.
        case (1, 7), (1, 8), (7, 60): return .sender
        // The limit of an account.
        case (4, 5): return .server
        default: break
        }
        guard !afterContent else { return nil }
        if wording.contains(.sender) { return .sender }
        if !wording.isDisjoint(with: [.relaying, .client]) { return .server }
        let isPolicy = status?[1] == 7
        if wording.contains(.limit), isPolicy { return .server }
        // A group may require that the sender is known to its own server (5.7.133).
        if wording.contains(.login), !isPolicy || [0, 1, 57].contains(status?[2]) { return .login }
        return nil
    }

    /// Whether a refusal of a recipient may be one that every mail meets.
    fileprivate var resemblesCommonOne: Bool {
        guard let status else { return false }
        switch status[1] {
        // Exchange: the limit of recipients for a day.
        case 1: return status[2] == 90
        // The system, except "message too big for system".
        case 3: return status[2] != 4
        // The network and the directory of the server. The others are about the recipient's server.
        case 4: return [0, 2, 3].contains(status[2])
        // Exchange: from 5.7.100 to 5.7.199 about groups and recipients.
        case 7: return !wording.contains(.recipient) && !(100..<200).contains(status[2])
        default: return false
        }
    }

    /// Whether a refusal of the content is about it or its recipient for certain. Servers answer there, too, when they refuse
    /// everything from this machine or this account.
    fileprivate var isAboutThisMail: Bool {
        // Too large, or the mailbox is full.
        if code == 552 { return true }
        switch (status?[1], status?[2]) {
        case (1, let detail?): return detail != 90
        case (2, let detail?): return (1...4).contains(detail)
        case (3, 4), (6, _): return true
        default: return false
        }
    }
}
