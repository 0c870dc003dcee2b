/// The name of a channel, as an identifier in SQL.
enum ChannelName {
    /// The server cuts longer ones, and would listen to another channel than the one meant.
    static let longest = 63

    /// - Returns: the name between double quotes, so that it means itself, letter case included.
    /// - Throws: `.invalidParameter` for an empty name, one of more than 63 bytes and one with a NUL.
    static func quoted(_ name: String) throws(PostgresError) -> String {
        func refusal(_ why: String) -> PostgresError {
            PostgresError(.invalidParameter, cause: "the name of a channel \(why)")
        }
        guard !name.isEmpty else { throw refusal("is empty") }
        guard name.utf8.count <= longest else { throw refusal("is longer than \(longest) bytes") }
        guard !name.utf8.contains(0) else { throw refusal("contains a NUL character") }
        var quoted = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// The statements that listen to all of `names`.
    static func listen(to names: [String]) throws(PostgresError) -> String {
        guard !names.isEmpty else { throw PostgresError(.invalidParameter, cause: "no channel to listen to") }
        var statements = ""
        for name in names { statements += "LISTEN \(try quoted(name));" }
        return statements
    }
}
