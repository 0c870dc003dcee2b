extension SharedSession {
    /// For the clipboard and messengers.
    func plainText() -> ShareText {
        let typography = FrenchTypography.printed
        var lines = [module]
        if let moment = moment(typography) { lines.append("📅 \(moment)") }
        if let place = place(lieu: lieu) { lines.append("📍 \(place)") }
        lines += priceLines(typography).map { "💶 \($0)" }
        if let reference { lines.append("Réf. \(reference)") }
        return ShareText(title: module, text: lines.joined(separator: "\n"))
    }
}
