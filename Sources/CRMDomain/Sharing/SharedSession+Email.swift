import TextEncodings

extension SharedSession {
    /// A letter with labels instead of emoji, and a URL that opens the mail program with the letter filled in.
    func email() -> ShareText {
        let typography = FrenchTypography.printed
        let moment = moment(typography)
        var lines = [module]
        if let moment { lines.append(typography.labelled("Date", moment)) }
        if let place = place(lieu: lieu) { lines.append(typography.labelled("Lieu", place)) }
        lines += priceLines(typography)
        if let reference { lines.append("Réf. \(reference)") }

        let text = lines.joined(separator: "\n")
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
