/// Postgres's text form of a one-dimensional array.
enum ArrayLiteral {
    /// `{"a","b \"c\"",NULL}`: every element quoted, so that none is taken for null or a bracket.
    static func text(of elements: [String?]) -> String {
        var text = "{"
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            guard let element else {
                text += "NULL"
                continue
            }
            text += "\""
            for scalar in element.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
            text += "\""
        }
        return text + "}"
    }
}
