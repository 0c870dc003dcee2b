extension SharedSession {
    /// Discord takes no longer message; counted in UTF-16, which is never less than what Discord counts.
    private static let longestMessage = 2000

    /// Discord's markdown: the title in bold, what people typed kept from meaning anything.
    func discord() -> ShareText {
        let full = discordText(lieu: lieu?.escapedForDiscord())
        guard full.utf16.count > Self.longestMessage, let lieu else {
            return ShareText(title: module.withoutMentions, text: full)
        }
        // Every other part is bounded by its column, and all of them together leave room: the place gives way.
        let rest = discordText(lieu: "").utf16.count
        let clipped = discordText(lieu: lieu.escapedForDiscord(atMost: Self.longestMessage - rest))
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
    /// This text with a zero-width space behind every `@`, so that it calls nobody.
    fileprivate var withoutMentions: String {
        var text = ""
        for scalar in unicodeScalars {
            text.unicodeScalars.append(scalar)
            if scalar == "@" { text.unicodeScalars.append("\u{200B}") }
        }
        return text
    }

    /// This text with a backslash before what Discord's markdown reads, and no mentions.
    ///
    /// - Parameter limit: in UTF-16 units; a longer text ends in `…`, never within a character or an escape.
    fileprivate func escapedForDiscord(atMost limit: Int = .max) -> String {
        var escaped = ""
        var length = 0
        var bytesThatFit = 0
        for character in self {
            var piece = ""
            for scalar in character.unicodeScalars {
                // What starts a heading, a quotation or a list only matters where a text begins.
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
