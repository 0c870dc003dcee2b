import TextEncodings

extension SharedSession {
    /// A sober letter: labels instead of pictures, and a link that opens the reader's mail program with it.
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

    /// RFC 6068: lines end in CRLF, everything but unreserved characters is percent-encoded UTF-8.
    private func mailLink(subject: String, body: String) -> String {
        let address = recipient.email?.percentEncoded(keeping: "@") ?? ""
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        return "mailto:\(address)?subject=\(subject.percentEncoded())&body=\(lines.percentEncoded())"
    }
}
