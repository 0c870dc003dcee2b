extension SharedSession {
    /// The longest message that Discord accepts, here in UTF-16 units, of which there are never fewer than of the characters
    /// that Discord counts.
    static let longestMessage = 2000

    /// Discord's Markdown, with the title in bold. What users typed is escaped.
    ///
    /// - Parameter limit: in UTF-16 units.
    func discord(atMost limit: Int = longestMessage) -> ShareText {
        let full = discordText(lieu: lieu?.escapedForDiscord())
        guard full.utf16.count > limit, let lieu else {
            return ShareText(title: module.withoutMentions, text: full)
        }
        // The place is the only part without a limit of its own. The others leave room for it, so it is the one to cut.
        let rest = discordText(lieu: "").utf16.count
        let clipped = discordText(lieu: lieu.escapedForDiscord(atMost: limit - rest))
        return ShareText(title: module.withoutMentions, text: clipped)
    }

    private func discordText(lieu: String?) -> String {
        let typography = FrenchTypography.printed
        var lines = ["**\(module.escapedForDiscord())**"]
        if let moment = moment(typography) { lines.append("📅 \(moment)") }
        if let place = place(lieu: lieu) { lines.append("📍 \(place)") }
        lines += priceLines(typography).map { "💶 \($0)" }
        if let reference { lines.append("Réf. \(reference.escapedForDiscord())") }
        return lines.joined(separator: "\n")
    }
}

extension String {
    /// This text with a zero-width space after every `@`, so that it notifies no member.
    fileprivate var withoutMentions: String {
        var text = ""
        for scalar in unicodeScalars {
            text.unicodeScalars.append(scalar)
            if scalar == "@" { text.unicodeScalars.append("\u{200B}") }
        }
        return text
    }

    /// This text with a backslash before each character that has a meaning in Discord's Markdown, and without mentions.
    ///
    /// - Parameter limit: in UTF-16 units. A longer text is cut between two characters and ends in `…`.
    fileprivate func escapedForDiscord(atMost limit: Int = .max) -> String {
        var escaped = ""
        var length = 0
        var bytesThatFit = 0
        for character in self {
            var piece = ""
            for scalar in character.unicodeScalars {
                // The signs of headings, quotations and lists have a meaning only at the start of a text.
                let markup = length == 0 ? "\\*_~`|[]<>#-" : "\\*_~`|[]<"
                if markup.unicodeScalars.contains(scalar) { piece += "\\" }
                piece.unicodeScalars.append(scalar)
                if scalar == "@" { piece += "\u{200B}" }
            }
            escaped += piece
            length += piece.utf16.count
            if length < limit { bytesThatFit = escaped.utf8.count }
        }
        guard length > limit else { return escaped }
        return String(decoding: escaped.utf8.prefix(bytesThatFit), as: UTF8.self) + "…"
    }
}
