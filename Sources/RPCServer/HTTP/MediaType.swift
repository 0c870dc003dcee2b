/// Reads `Content-Type`.
enum MediaType {
    /// Whether a body of this type is taken for JSON: clients name it in three ways, or not at all.
    static func isJSON(_ contentType: String?) -> Bool {
        // What nearly all clients send needs no taking apart.
        guard let contentType, !contentType.hasLetters(of: "application/json"), !contentType.trimmed.isEmpty else {
            return true
        }
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false)
        let name = parts[0].trimmed
        guard
            name.hasLetters(of: "application/json") || name.hasLetters(of: "application/json-rpc")
                || name.hasLetters(of: "application/jsonrequest")
        else { return false }
        return parts.dropFirst().allSatisfy(isHarmless)
    }

    /// JSON is UTF-8 whatever a parameter says, so only another character set is a reason to refuse.
    private static func isHarmless(_ parameter: Substring) -> Bool {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, pair[0].trimmed.hasLetters(of: "charset") else { return true }
        let name = pair[1].trimmed.filter { $0 != "\"" }
        return name.hasLetters(of: "utf-8") || name.hasLetters(of: "utf8") || name.hasLetters(of: "us-ascii")
    }
}
