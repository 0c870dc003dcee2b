import DomainKit

extension Resolution {
    /// `first`: 1 to the limit; nil, the problem noted, otherwise.
    mutating func first(_ located: Located) -> Int? {
        guard let form = open(located) else { return nil }
        let range = 1...limits.maxFirst
        guard case .scalar(let value) = form,
            let text = text(of: value, as: .smallint(range), at: place(of: located))
        else {
            if case .scalar = form { return nil }
            findings.add(.type, at: place(of: located), "Donnez un nombre entier.")
            return nil
        }
        return Int(text)
    }

    /// `search`: a slot for each word, as it is written.
    mutating func search(_ located: Located) -> [Int] {
        guard let form = open(located) else { return [] }
        let site = place(of: located)
        guard case .scalar(let value) = form else {
            findings.add(.type, at: site, "Donnez un texte, entre guillemets.")
            return []
        }
        guard let text = text(of: value, as: .text(maxLength: nil), at: site) else { return [] }
        guard text.utf8.count <= limits.searchLength || text.unicodeScalars.count <= limits.searchLength else {
            findings.add(.tooLong, at: site, "Donnez une recherche d'au plus \(limits.searchLength) caractères.")
            return []
        }
        let words = text.unicodeScalars.split { $0.properties.isWhitespace }
        guard words.count <= limits.searchWords else {
            findings.add(.outOfRange, at: site, "Donnez au plus \(limits.searchWords) mots.")
            return []
        }
        // A word is looked for in several documents: it counts as several conditions.
        for _ in 0..<(words.count * 10) { countCondition(at: site) }
        return words.map { slot(for: String($0)) }
    }
}
