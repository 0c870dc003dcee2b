/// The lines that every format is made of; nil or empty where the session has nothing to say.
extension SharedSession {
    /// `lundi 12 janvier 2026, 9 h – 17 h (8 h)`.
    func moment(_ typography: FrenchTypography) -> String? {
        guard let date else { return nil }
        var line = typography.day(date)
        if let times {
            line += ", " + typography.span(times.debut, times.fin)
            if let minutes, minutes > 0 { line += " (\(typography.length(minutes: minutes)))" }
        }
        return line
    }

    /// `P` or `D` spelled out.
    var modality: String? {
        isRemote.map { $0 ? "Distanciel" : "Présentiel" }
    }

    /// `Présentiel · 12 rue de la Paix`; either half may be missing.
    func place(separator: String = " · ", lieu: String?) -> String? {
        let parts = [modality, lieu].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: separator)
    }

    /// `Tarif : 450,00 € + frais 80,00 €`, one line for each price.
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

/// A session, ready to paste.
struct ShareText {
    let title: String
    let text: String
    var subject: String?
    var url: String?
}
