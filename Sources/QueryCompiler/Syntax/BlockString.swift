/// The value of a `"""block string"""`: GraphQL's BlockStringValue().
enum BlockString {
    /// - Parameter raw: the text between the quotes with `\n` as its only line end.
    static func value(of raw: [UInt8]) -> String {
        var lines = raw.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The first line's indentation says nothing: it follows the quotes.
        let indent = lines.dropFirst().compactMap(indentation).min() ?? 0
        for index in lines.indices.dropFirst() {
            lines[index] = lines[index].dropFirst(indent)
        }
        while let first = lines.first, indentation(first) == nil { lines.removeFirst() }
        while let last = lines.last, indentation(last) == nil { lines.removeLast() }
        return String(decoding: Array(lines.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    /// Leading blanks; nil for a line of blanks alone.
    private static func indentation(_ line: ArraySlice<UInt8>) -> Int? {
        line.firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map { $0 - line.startIndex }
    }
}
