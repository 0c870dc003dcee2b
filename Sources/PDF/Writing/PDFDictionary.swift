/// The text of a dictionary as cairo writes it.
struct PDFDictionary {
    private(set) var text: String

    init(_ text: String) {
        self.text = text
    }

    /// The number after a name: a count, or that of an object.
    func number(after name: String) -> Int? {
        range(of: name).flatMap { Int(digits: Array(text[$0.upperBound...].utf8)[...]) }
    }

    /// What stands between the brackets of the array after a name.
    func array(after name: String) -> Substring? { arrayRange(after: name).map { text[$0] } }

    /// Adds to the end of the array after a name.
    mutating func append(_ elements: String, after name: String) {
        guard let range = arrayRange(after: name) else { return }
        text.insert(contentsOf: " " + elements + " ", at: range.upperBound)
    }

    /// Adds entries to its end.
    mutating func append(_ entries: String) {
        guard let end = text.ranges(of: ">>").last else { return }
        text.insert(contentsOf: " \(entries) ", at: end.lowerBound)
    }

    /// Puts other text in the place of a reference after a name.
    mutating func replaceReference(_ number: Int, after name: String, with replacement: String) {
        guard let range = range(of: name),
            let reference = text[range.upperBound...].firstRange(of: "\(number) 0 R")
        else { return }
        text.replaceSubrange(reference, with: replacement)
    }

    /// Adds entries to the dictionary after a name, which is made if it is missing.
    mutating func append(_ entries: String, toDictionary name: String) {
        guard let range = range(of: name), let open = text[range.upperBound...].firstRange(of: "<<") else {
            return append("\(name) << \(entries) >>")
        }
        text.insert(contentsOf: " \(entries) ", at: open.upperBound)
    }

    mutating func set(_ number: Int, after name: String) {
        guard let range = range(of: name) else { return }
        let rest = text[range.upperBound...].drop(while: \.isWhitespace)
        let digits = rest.prefix(while: \.isNumber)
        text.replaceSubrange(digits.startIndex..<digits.endIndex, with: String(number))
    }

    /// The name itself, not one that begins with it.
    private func range(of name: String) -> Range<String.Index>? {
        var rest = text[...]
        while let range = rest.firstRange(of: name) {
            let next = text[range.upperBound...].first
            if next.map({ $0.isWhitespace || "[(<".contains($0) }) ?? true { return range }
            rest = text[range.upperBound...]
        }
        return nil
    }

    private func arrayRange(after name: String) -> Range<String.Index>? {
        guard let range = range(of: name) else { return nil }
        let rest = text[range.upperBound...].drop(while: \.isWhitespace)
        guard rest.first == "[", let close = rest.firstIndex(of: "]") else { return nil }
        return rest.index(after: rest.startIndex)..<close
    }
}

/// Objects are copied from one file to another with other numbers.
enum PDFReferences {
    /// The object with the numbers of the objects that it refers to changed by `renumbered`. Texts, comments and streams stay
    /// as they are.
    static func renumber(_ object: ArraySlice<UInt8>, _ renumbered: (Int) -> Int) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(object.count)
        var rest = object
        var isAfterWord = false
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "("):
                let text = literal(rest)
                output += text
                rest = rest.dropFirst(text.count)
                isAfterWord = false
            case UInt8(ascii: "%"):
                let comment = rest.prefix { $0 != 0x0A && $0 != 0x0D }
                output += comment
                rest = rest.dropFirst(comment.count)
            case UInt8(ascii: "s") where !isAfterWord && rest.starts(with: Array("stream".utf8)):
                return output + rest
            case 0x30...0x39 where !isAfterWord:
                if let (number, generation, length) = reference(rest) {
                    output += Array("\(renumbered(number)) \(generation) R".utf8)
                    rest = rest.dropFirst(length)
                } else {
                    let digits = rest.prefix { (0x30...0x39).contains($0) }
                    output += digits
                    rest = rest.dropFirst(digits.count)
                }
                isAfterWord = true
            default:
                output.append(byte)
                rest = rest.dropFirst()
                isAfterWord = !isDelimiter(byte)
            }
        }
        return output
    }

    /// The numbers of the objects in the elements of an array, all of which are references.
    static func numbers(in elements: Substring) -> [Int] {
        let words = elements.split(whereSeparator: \.isWhitespace)
        return stride(from: 0, to: words.count - 2, by: 3).compactMap { words[$0 + 2] == "R" ? Int(words[$0]) : nil }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "[]<>()/%".utf8.contains(byte) && byte != UInt8(ascii: "/")
    }

    /// `12 0 R` at the beginning: both numbers, and how many bytes it has.
    private static func reference(_ bytes: ArraySlice<UInt8>) -> (number: Int, generation: Int, length: Int)? {
        let line = bytes.prefix(40)
        let words = line.split(maxSplits: 3) { $0 <= 0x20 }
        guard words.count >= 3, let number = Int(String(decoding: words[0], as: UTF8.self)),
            let generation = Int(String(decoding: words[1], as: UTF8.self)), words[2].first == UInt8(ascii: "R"),
            words[2].count == 1 || isDelimiter(words[2][words[2].startIndex + 1])
                || words[2][words[2].startIndex + 1] == UInt8(ascii: "/")
        else { return nil }
        return (number, generation, words[2].startIndex + 1 - bytes.startIndex)
    }

    /// A text in parentheses at the beginning, with them. Parentheses in it are in pairs, or escaped.
    private static func literal(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var depth = 0
        var isEscaped = false
        for (count, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 { return bytes.prefix(count + 1) }
            default: break
            }
        }
        return bytes
    }
}
