/// How the lines of a TypeScript file are set.
enum TypeScriptFile {
    /// So many characters a line has at most.
    static let width = 120

    /// A doc comment, over several lines when it is long; nothing for no text.
    static func comment(_ text: String?, indent: String) -> String {
        guard let text, !text.isEmpty else { return "" }
        let safe = text.split(separator: "*/", omittingEmptySubsequences: false).joined(separator: "*\\/")
        let line = "\(indent)/** \(safe) */"
        guard line.count > width else { return line + "\n" }
        let words = safe.split { $0 == " " || $0 == "\n" }.map(String.init)
        let lines = fill(words, width: width - indent.count - 3).map { "\(indent) * \($0)\n" }
        return "\(indent)/**\n\(lines.joined())\(indent) */\n"
    }

    /// The parts, a space between them, in as few lines as hold them.
    static func fill(_ parts: [String], width: Int) -> [String] {
        var lines: [String] = []
        for part in parts {
            if let last = lines.last, last.count + 1 + part.count <= width {
                lines[lines.count - 1] = "\(last) \(part)"
            } else {
                lines.append(part)
            }
        }
        return lines
    }
}
