import DomainKit

extension Resolution {
    /// `first`: 1 to the limit; nil, the problem noted, otherwise.
    mutating func first(_ located: LocatedValue) -> Int? {
        guard let form = open(located) else { return nil }
        let range = 1...limits.maxFirst
        guard case .scalar(let value) = form,
            let text = text(of: value, as: .smallint(range), at: place(of: located))
        else {
            if case .scalar = form { return nil }
            diagnostics.add(.type, at: place(of: located), "Donnez un nombre entier.")
            return nil
        }
        return Int(text)
    }

    /// `search`: a slot for each word, as it is written.
    mutating func search(_ located: LocatedValue) -> [Int] {
        guard let form = open(located) else { return [] }
        let location = place(of: located)
        guard case .scalar(let value) = form else {
            diagnostics.add(.type, at: location, "Donnez un texte, entre guillemets.")
            return []
        }
        guard let text = text(of: value, as: .text(maxLength: nil), at: location) else { return [] }
        guard text.utf8.count <= limits.searchLength || text.unicodeScalars.count <= limits.searchLength else {
            diagnostics.add(.tooLong, at: location, "Donnez une recherche d'au plus \(limits.searchLength) caractères.")
            return []
        }
        let words = text.unicodeScalars.split { $0.properties.isWhitespace }
        guard words.count <= limits.searchWords else {
            diagnostics.add(.outOfRange, at: location, "Donnez au plus \(limits.searchWords) mots.")
            return []
        }
        // A word is looked for in several documents: it counts as several conditions.
        for _ in 0..<(words.count * 10) { countCondition(at: location) }
        return words.map { slot(for: String($0)) }
    }
}
