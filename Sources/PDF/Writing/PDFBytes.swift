extension Int {
    /// The digits at the beginning of a text, after white space; nil if there are none.
    init?(digits text: ArraySlice<UInt8>) {
        let digits = text.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }.prefix { (0x30...0x39).contains($0) }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}

extension ArraySlice<UInt8> {
    /// Where a word begins for the first time.
    func firstOffset(of word: String) -> Int? {
        let word = Array<UInt8>(word.utf8)
        guard count >= word.count else { return nil }
        return (startIndex...endIndex - word.count).first { self[$0...].starts(with: word) }
    }

    /// Where a word begins for the last time.
    func lastOffset(of word: String) -> Int? {
        let word = Array<UInt8>(word.utf8)
        guard count >= word.count else { return nil }
        return (startIndex...endIndex - word.count).reversed().first { self[$0...].starts(with: word) }
    }
}
