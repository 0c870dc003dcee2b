/// Telephone numbers as a regular expression of ECMA-262: the same as ``Format/phone``, for documentation.
enum PhonePattern {
    private static let space = " \\u00a0\\u202f"
    /// Digits, singly or in parentheses, with separators between them.
    private static let shape =
        "\\+?(?:\\([0-9]+\\)|[0-9])(?:[\(space)./-]*(?:\\([0-9]+\\)|[0-9]))*"
    private static let gap = "[\(space)./()-]*"
    /// Between the digits of an international number; its first `(0)` is for readers at home.
    private static let wideGap = "(?:[\(space)./)-]|\\((?!0\\))|\\(0\\))*"

    private static let national = "\(gap)0\(gap)[1-9](?:\(gap)[0-9]){8}"
    private static let french = "3\(wideGap)3\(wideGap)[1-9](?:\(wideGap)[0-9]){8}"
    private static let foreign = "(?!3\(wideGap)3)[1-9](?:\(wideGap)[0-9]){6,14}"
    private static let international =
        "(?!.*\\(0\\).*\\(0\\))(?:\\+|\(gap)0\(gap)0)\(wideGap)(?:\(french)|\(foreign))"

    static let whole = "^(?=\(shape)$)(?:\(national)|\(international))\(gap)$"
}
