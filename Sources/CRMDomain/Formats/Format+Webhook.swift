import DomainKit

extension Format {
    /// The address of a webhook of Discord, which is a secret: its last part is the right to write.
    ///
    /// It says what the address looks like, on any host. Which hosts get requests, the outbox decides: those of
    /// ``Announcement/hosts``, and what the settings of the installation name.
    static let discordWebhook = Format(
        name: "discord_webhook", message: CRM.Messages.discordWebhook,
        pattern: "^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?/api/(v[0-9]{1,2}/)?webhooks/[0-9]{1,20}/[A-Za-z0-9_-]{1,100}"
            + "(\\?thread_id=[0-9]{1,20})?$",
        example: "https://discord.com/api/webhooks/123456789/jeton"
    ) { text in
        var rest = text.utf8[...]
        guard rest.skip("https://") || rest.skip("http://"), rest.skip(1...300, where: \.isOfHost) else { return false }
        if rest.skip(":"), !rest.skip(1...5, where: \.isDigit) { return false }
        guard rest.skip("/api/") else { return false }
        if rest.skip("v"), !(rest.skip(1...2, where: \.isDigit) && rest.skip("/")) { return false }
        guard rest.skip("webhooks/"), rest.skip(1...20, where: \.isDigit), rest.skip("/"),
            rest.skip(1...100, where: \.isOfToken)
        else { return false }
        return rest.isEmpty || rest.skip("?thread_id=") && rest.skip(1...20, where: \.isDigit) && rest.isEmpty
    }
}

extension Substring.UTF8View {
    /// Drops these bytes if it begins with them.
    fileprivate mutating func skip(_ text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        removeFirst(text.utf8.count)
        return true
    }

    /// Drops the bytes of a kind at its start if there are so many.
    fileprivate mutating func skip(_ count: ClosedRange<Int>, where isOfKind: (UInt8) -> Bool) -> Bool {
        let found = prefix(while: isOfKind).count
        guard count.contains(found) else { return false }
        removeFirst(found)
        return true
    }
}

extension UInt8 {
    fileprivate var isOfHost: Bool { isLetterOrDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") }
    fileprivate var isOfToken: Bool { isLetterOrDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
}
