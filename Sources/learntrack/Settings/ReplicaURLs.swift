import Foundation

/// Several addresses in one setting. Commas part them, and also the hosts within one: an address begins where a scheme
/// or a `key=` does.
enum ReplicaURLs {
    static func list(_ text: String) -> [String] {
        var addresses: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if addresses.isEmpty || begins(part) {
                addresses.append(String(part))
            } else {
                addresses[addresses.count - 1] += ",\(part)"
            }
        }
        return addresses.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func begins(_ part: Substring) -> Bool {
        let part = part.drop(while: \.isWhitespace)
        if part.hasPrefix("postgres://") || part.hasPrefix("postgresql://") { return true }
        let key = part.prefix { $0.isLetter || $0 == "_" }
        return !key.isEmpty && part[key.endIndex...].hasPrefix("=")
    }
}
