/// One word of a search.
struct SearchWord: Hashable, Sendable {
    let slot: Int
    /// Whether a trigram index finds the word: it has three letters or digits in a row.
    let hasTrigram: Bool
    /// Whether a word that resembles it will do. A word without trigrams resembles none.
    let isNear: Bool

    init(_ word: String, slot: Int, near: Bool = false) {
        self.slot = slot
        var length = 0
        hasTrigram = word.unicodeScalars.contains { scalar in
            let isLetterOrDigit = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            length = isLetterOrDigit ? length + 1 : 0
            return length == 3
        }
        isNear = near && hasTrigram
    }
}
