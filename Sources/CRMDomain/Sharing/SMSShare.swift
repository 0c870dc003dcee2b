import TextEncodings

extension SharedSession {
    /// How much of a title or a place an SMS has room for, in characters.
    private static let longestPart = 100

    /// Short and without pictures, in GSM-7 where the words allow it: one other character makes every part of
    /// the message half as long.
    func sms() -> ShareText {
        let typography = FrenchTypography.plain
        var lines = [module.simplifiedForSMS(atMost: Self.longestPart)]
        if let moment = moment(typography) { lines.append(moment) }
        // The place that the service itself gives a remote session says nothing new, and its À is not in GSM-7.
        let lieu = isRemote == true && lieu == "À distance" ? nil : lieu?.simplifiedForSMS(atMost: Self.longestPart)
        if let place = place(separator: ", ", lieu: lieu) { lines.append(place) }
        lines += priceLines(typography)
        if let reference { lines.append("Réf. \(reference.simplifiedForSMS(atMost: Self.longestPart))") }

        let text = lines.joined(separator: "\n")
        return ShareText(title: module, text: text, url: messageLink(body: text))
    }

    /// RFC 5724: the number as in a `tel:` link, the text in `body`.
    private func messageLink(body: String) -> String {
        let number = recipient.phone?.drop { $0 != ":" }.dropFirst() ?? ""
        return "sms:\(String(number).percentEncoded(keeping: "+"))?body=\(body.percentEncoded())"
    }
}

extension String {
    /// This text with typewriter punctuation and spaces and without emoji, cut off with `...` when it is long.
    fileprivate func simplifiedForSMS(atMost limit: Int) -> String {
        var simple = ""
        for character in self where !character.isPicture {
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
        // What stood around a picture or a no-break space leaves no gap.
        let words = simple.split(separator: " ").joined(separator: " ")
        guard words.count > limit else { return words.isEmpty ? self : words }
        return words.prefix(limit - 3) + "..."
    }
}

extension Character {
    /// Whether it is drawn as an emoji.
    fileprivate var isPicture: Bool {
        unicodeScalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
    }
}
