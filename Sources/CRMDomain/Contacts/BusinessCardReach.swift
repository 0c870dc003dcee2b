/// What a line of a business card says besides the telephone numbers and addresses in it.
enum BusinessCardReach {
    /// Stands for a number or an address that has been read.
    static let mark = "\u{1}"

    private static let labels: Set = [
        "tel", "tél", "téléphone", "telephone", "mobile", "mob", "port", "portable", "fax", "email", "e-mail", "mail",
        "mailto", "courriel", "standard", "direct", "directe", "ligne", "fixe",
    ]
    /// As letters they may also be those of a name: `M. Yann Le Goff`, `Paul E. Martin`.
    private static let letters: Set = ["t", "m", "p", "f", "e"]

    /// The texts before, between and after the marks of a line, without labels. Each may be empty.
    static func texts(in line: String) -> [String] {
        let parts = line.split(separator: mark, omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            var words = part.split(whereSeparator: \.isWhitespace)[...]
            if index < parts.count - 1 { removeLabels(from: &words) }
            while let first = words.first, isSign(first) { words.removeFirst() }
            while let last = words.last, isSign(last) { words.removeLast() }
            return words.joined(separator: " ")
        }
    }

    /// Removes what stands directly before a number and says what it is: `Tél.`, `Ligne directe :`, `T`.
    private static func removeLabels(from words: inout ArraySlice<Substring>) {
        var hasLetter = false
        while let last = words.last {
            if !isSign(last), !labels.contains(name(last)) {
                guard !hasLetter, letters.contains(name(last)) else { break }
                hasLetter = true
            }
            words.removeLast()
        }
        // `Tél. du bureau`.
        if let label = words.lastIndex(where: { labels.contains(name($0)) }),
            words[(label + 1)...].allSatisfy({ $0.first?.isLowercase == true || isSign($0) })
        {
            words = words[..<label]
        }
    }

    private static func isSign(_ word: Substring) -> Bool { !word.contains { $0.isLetter || $0.isNumber } }

    private static func name(_ word: Substring) -> String { word.lowercased().filter { $0.isLetter || $0 == "-" } }
}
