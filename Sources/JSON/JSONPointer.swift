extension String {
    /// This JSON Pointer (RFC 6901) with `token` appended, its `~` and `/` escaped.
    ///
    /// A token longer than 200 bytes is cut to 64 characters: a request may contain names of any length, and error
    /// messages repeat them.
    public func appendingPointer(_ token: String) -> String {
        let token = token.utf8.count <= 200 ? token : String(token.unicodeScalars.prefix(64)) + "…"
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return self + "/" + token
        }
        var escaped = ""
        for character in token.unicodeScalars {
            switch character {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return self + "/" + escaped
    }
}
