extension StringProtocol {
    /// This text without the white space at both ends.
    package var trimmingWhitespace: String {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace ?? false { rest.removeLast() }
        return String(rest)
    }
}
