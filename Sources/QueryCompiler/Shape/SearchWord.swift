/// One word of a search.
struct SearchWord: Hashable, Sendable {
    let slot: Int
    /// Whether a trigram index finds the word: it has three letters or digits in a row.
    let hasTrigram: Bool

    init(_ word: String, slot: Int) {
        self.slot = slot
        var length = 0
        hasTrigram = word.unicodeScalars.contains { scalar in
            let isLetterOrDigit = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            length = isLetterOrDigit ? length + 1 : 0
            return length == 3
        }
    }
}
