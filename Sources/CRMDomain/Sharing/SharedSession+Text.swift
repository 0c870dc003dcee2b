import TextEncodings

// The plain text of a shared session, and the lines that the other formats use too.

extension SharedSession {
    /// The text for the clipboard and for messengers.
    func plainText() -> ShareText {
        let typography = FrenchTypography.printed
        var lines = [module]
        if let moment = moment(typography) { lines.append("📅 \(moment)") }
        if let place = place(lieu: lieu) { lines.append("📍 \(place)") }
        lines += priceLines(typography).map { "💶 \($0)" }
        if let reference { lines.append("Réf. \(reference)") }
        return ShareText(title: module, text: lines.joined(separator: "\n"))
    }

    /// `lundi 12 janvier 2026, 9 h – 17 h (8 h)`; nil without a date.
    func moment(_ typography: FrenchTypography) -> String? {
        guard let date else { return nil }
        var line = typography.day(date)
        if let times {
            line += ", " + typography.span(times.debut, times.fin)
            if let minutes, minutes > 0 { line += " (\(typography.length(minutes: minutes)))" }
        }
        return line
    }

    /// `P` or `D` as a word.
    var modality: String? {
        isRemote.map { $0 ? "Distanciel" : "Présentiel" }
    }

    /// `Présentiel · 12 rue de la Paix`, or one of the two; nil without both.
    func place(separator: String = " · ", lieu: String?) -> String? {
        let parts = [modality, lieu].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: separator)
    }

    /// One line for each price, such as `Tarif : 450,00 € + frais 80,00 €`.
    func priceLines(_ typography: FrenchTypography) -> [String] {
        prices.map { price in
            var line = typography.labelled(price.label, typography.amount(price.amount))
            if let extra = price.extra {
                line += " + \(extra.label) \(typography.amount(extra.amount))"
            }
            return line
        }
    }
}

extension SharedSession {
    /// A letter with a greeting, labels instead of emoji and a closing, to which the sender's name is
    /// added; and a URL that opens the mail program with the letter filled in.
    func email() -> ShareText {
        let typography = FrenchTypography.printed
        let moment = moment(typography)
        var lines = [module]
        if let moment { lines.append(typography.labelled("Date", moment)) }
        if let place = place(lieu: lieu) { lines.append(typography.labelled("Lieu", place)) }
        lines += priceLines(typography)
        if let reference { lines.append("Réf. \(reference)") }

        let text = ["Bonjour,", lines.joined(separator: "\n"), "Cordialement,"].joined(separator: "\n\n")
        let subject = [module, date.map(typography.day)].compactMap(\.self).joined(separator: " – ")
        return ShareText(title: module, text: text, subject: subject, url: mailLink(subject: subject, body: text))
    }

    /// A `mailto:` URL (RFC 6068): lines end in CRLF, and all but unreserved characters are percent-encoded.
    private func mailLink(subject: String, body: String) -> String {
        let address = recipient.email?.percentEncoded(keeping: "@") ?? ""
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        return "mailto:\(address)?subject=\(subject.percentEncoded())&body=\(lines.percentEncoded())"
    }
}
