/// Reads `Accept-Encoding`.
enum ContentCoding {
    /// Whether a value allows gzip: named, or meant by `*`, with a weight that is not zero.
    static func acceptsGzip(_ value: String) -> Bool {
        var any = false
        for item in value.split(separator: ",") {
            let parts = item.split(separator: ";", omittingEmptySubsequences: false)
            let name = parts[0].trimmed
            if name.hasLetters(of: "gzip") || name.hasLetters(of: "x-gzip") { return hasWeight(parts.dropFirst()) }
            if name.hasLetters(of: "*") { any = hasWeight(parts.dropFirst()) }
        }
        return any
    }

    private static func hasWeight(_ parameters: ArraySlice<Substring>) -> Bool {
        for parameter in parameters {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmed.hasLetters(of: "q") else { continue }
            guard let weight = Double(pair[1].trimmed) else { return false }
            return weight > 0
        }
        return true
    }
}
