/// A text of parts that differ in weight and colour.
public struct PDFText: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// A part of a text that looks the same throughout.
    struct Run: Sendable, Hashable {
        var text: String
        var isBold: Bool?
        var color: PDFColor?
    }

    var runs: [Run]

    /// Creates a text.
    ///
    /// - Parameters:
    ///   - text: the characters. Control characters are left out; a newline starts a line.
    ///   - isBold: nil for what the style of the block says.
    ///   - color: nil for what the style of the block says.
    public init(_ text: String, isBold: Bool? = nil, color: PDFColor? = nil) {
        runs = [Run(text: Self.printable(text), isBold: isBold, color: color)]
    }

    public init(stringLiteral value: String) { self.init(value) }

    /// The characters.
    public var text: String { runs.map(\.text).joined() }

    /// The two texts, one after the other.
    public static func + (left: PDFText, right: PDFText) -> PDFText {
        var sum = left
        sum.runs += right.runs
        return sum
    }

    /// A bold text.
    public static func bold(_ text: String) -> PDFText { PDFText(text, isBold: true) }

    /// A text without what has no glyph, and with directions that end where it ends: characters that turn the direction of
    /// writing must not turn what follows.
    private static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\u{2028}", "\u{2029}": scalars.append("\n")
            case "\t": scalars.append(" ")
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": continue
            default:
                let properties = scalar.properties
                if properties.generalCategory != .control, !properties.isNoncharacterCodePoint {
                    scalars.append(scalar)
                }
            }
        }
        return String(scalars)
    }
}

/// A colour, each component from 0 to 1.
public struct PDFColor: Sendable, Hashable {
    let red: Double
    let green: Double
    let blue: Double

    /// Creates a colour from `0xRRGGBB`.
    public init(_ hexadecimal: UInt32) {
        red = Double(hexadecimal >> 16 & 0xFF) / 255
        green = Double(hexadecimal >> 8 & 0xFF) / 255
        blue = Double(hexadecimal & 0xFF) / 255
    }

    public static let white = PDFColor(0xFFFFFF)
}

/// How a paragraph is set.
public struct PDFTextStyle: Sendable, Hashable {
    /// Where a line that does not fill its width stands.
    public enum Alignment: Sendable, Hashable { case leading, center, trailing }

    /// In points.
    public var size: Double
    public var isBold: Bool
    /// Nil for the colour of the theme's text.
    public var color: PDFColor?
    public var alignment: Alignment
    /// The distance of two baselines, as a multiple of the size.
    public var leading: Double

    /// Creates a style. The defaults are those of running text.
    public init(
        size: Double = 10, isBold: Bool = false, color: PDFColor? = nil, alignment: Alignment = .leading,
        leading: Double = 1.42
    ) {
        self.size = size
        self.isBold = isBold
        self.color = color
        self.alignment = alignment
        self.leading = leading
    }

    /// This style with another alignment.
    public func aligned(_ alignment: Alignment) -> PDFTextStyle {
        var style = self
        style.alignment = alignment
        return style
    }

    /// Running text.
    public static let body = PDFTextStyle()
}
