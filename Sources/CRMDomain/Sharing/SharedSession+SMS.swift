import TextEncodings

extension SharedSession {
    /// The number of characters after which a title, a place or a reference is cut.
    private static let partLimit = 100

    /// A short text without emoji, in GSM-7 if the words allow it: a single character outside of that alphabet halves the
    /// length of a message's parts.
    func sms() -> ShareText {
        let typography = FrenchTypography.plain
        var lines = [module.simplifiedForSMS(atMost: Self.partLimit)]
        if let moment = moment(typography) { lines.append(moment) }
        // The default place of a remote session repeats the modality, and its À is not in GSM-7.
        let lieu = isRemote == true && lieu == "À distance" ? nil : lieu?.simplifiedForSMS(atMost: Self.partLimit)
        if let place = place(separator: ", ", lieu: lieu) { lines.append(place) }
        lines += priceLines(typography)
        if let reference { lines.append("Réf. \(reference.simplifiedForSMS(atMost: Self.partLimit))") }

        let text = lines.joined(separator: "\n")
        return ShareText(title: module, text: text, url: messageLink(body: text))
    }

    /// An `sms:` URL (RFC 5724) with the number in the form of a `tel:` link and the text in `body`.
    private func messageLink(body: String) -> String {
        let number = recipient.phone?.drop { $0 != ":" }.dropFirst() ?? ""
        return "sms:\(String(number).percentEncoded(keeping: "+"))?body=\(body.percentEncoded())"
    }
}

extension String {
    /// This text with ASCII punctuation and spaces and without emoji. A text longer than `limit` is cut and ends in `...`.
    fileprivate func simplifiedForSMS(atMost limit: Int) -> String {
        var simple = ""
        for character in self where !character.isEmoji {
            for scalar in character.unicodeScalars {
                switch scalar {
                case "\u{2018}", "\u{2019}", "\u{02BC}", "\u{2032}": simple += "'"
                case "\u{201C}", "\u{201D}", "\u{AB}", "\u{BB}", "\u{2033}": simple += "\""
                case "\u{2010}"..."\u{2015}", "\u{2212}": simple += "-"
                case "\u{2026}": simple += "..."
                case "·", "•": simple += "-"
                case "\u{200B}"..."\u{200F}", "\u{2060}", "\u{FEFF}", "\u{AD}": continue
                case _ where scalar.properties.isWhitespace: simple += " "
                default: simple.unicodeScalars.append(scalar)
                }
            }
        }
        // Spaces around a removed emoji are joined.
        let words = simple.split(separator: " ").joined(separator: " ")
        guard words.count > limit else { return words.isEmpty ? self : words }
        return words.prefix(limit - 3) + "..."
    }
}

extension Character {
    /// Whether the character is displayed as an emoji.
    fileprivate var isEmoji: Bool {
        unicodeScalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
    }
}
