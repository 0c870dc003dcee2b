import DomainKit

extension Format {
    /// The address of a webhook of Discord, which is a secret: its last part is the right to write.
    ///
    /// The table also accepts other hosts and http, so that an installation can be given a stand-in at psql. The server
    /// sends to such a host only if its settings name it.
    static let discordWebhook = Format(
        name: "discord_webhook", message: CRM.Messages.discordWebhook,
        pattern: "^https://discord\\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{1,20}/[A-Za-z0-9_-]{1,100}$",
        example: "https://discord.com/api/webhooks/123456789/jeton"
    ) { text in
        let start = "https://discord.com/api/"
        guard text.hasPrefix(start) else { return false }
        var parts = text.utf8.dropFirst(start.utf8.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if let version = parts.first, version.first == UInt8(ascii: "v") {
            guard (2...3).contains(version.count), version.dropFirst().allSatisfy(\.isDigit) else { return false }
            parts.removeFirst()
        }
        guard parts.count == 3, parts[0].elementsEqual("webhooks".utf8) else { return false }
        let (id, token) = (parts[1], parts[2])
        return (1...20).contains(id.count) && id.allSatisfy(\.isDigit) && (1...100).contains(token.count)
            && token.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}
