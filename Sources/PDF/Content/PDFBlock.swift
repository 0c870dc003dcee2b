/// A part of a document, from its top to its bottom.
public indirect enum PDFBlock: Sendable {
    /// A heading of level 1 to 3. It stays on the page of what follows.
    case heading(PDFText, level: Int)
    case paragraph(PDFText, PDFTextStyle = .body)
    case bullets([PDFText])
    /// Labels with their values, one below the other.
    case fields([PDFField])
    /// Stacks side by side, with their shares of the width. A stack contains texts, fields, images and spaces.
    case columns([PDFColumn])
    case table(PDFTable)
    /// A picture, at its own proportions in a box of this size.
    case image(PDFImage, width: Double, height: Double)
    /// Lines drawn by hand, each a list of points, scaled into a box of this size.
    case strokes([[PDFPoint]], width: Double, height: Double)
    /// Room of this size for what an appendix to the document adds. The name has letters of ASCII only.
    case place(String, width: Double, height: Double)
    case space(Double)
    case rule
    /// Blocks that stay on one page if they fit on one. A text of more than fourteen lines may begin on the page before; its last
    /// lines stay with the block after it.
    case together([PDFBlock])
    case pageBreak
}

/// A label and a value.
public struct PDFField: Sendable {
    let label: PDFText
    let value: PDFText

    public init(_ label: PDFText, _ value: PDFText) {
        self.label = label
        self.value = value
    }
}

/// A stack of blocks beside others.
public struct PDFColumn: Sendable {
    let share: Double
    let blocks: [PDFBlock]
    let isFramed: Bool

    /// Creates a column.
    ///
    /// - Parameters:
    ///   - share: the part of the width, in proportion to those of its neighbours.
    ///   - isFramed: whether it stands on a tinted ground.
    public init(share: Double = 1, isFramed: Bool = false, _ blocks: [PDFBlock]) {
        self.share = share
        self.isFramed = isFramed
        self.blocks = blocks
    }
}

/// Rows below a head that is repeated on each page.
public struct PDFTable: Sendable {
    /// A column of a table.
    public struct Column: Sendable {
        let title: PDFText
        let share: Double
        let alignment: PDFTextStyle.Alignment

        /// - Parameter share: the part of the width, in proportion to those of the other columns.
        public init(_ title: PDFText, share: Double, alignment: PDFTextStyle.Alignment = .leading) {
            self.title = title
            self.share = share
            self.alignment = alignment
        }
    }

    /// A row of a table.
    public struct Row: Sendable {
        let cells: [PDFText]
        let isEmphasized: Bool

        /// - Parameters:
        ///   - cells: one for each column.
        ///   - isEmphasized: whether it is set in bold on a tinted ground, as a total is.
        public init(_ cells: [PDFText], isEmphasized: Bool = false) {
            self.cells = cells
            self.isEmphasized = isEmphasized
        }
    }

    let columns: [Column]
    let rows: [Row]
    let size: Double

    /// - Parameter size: of the text, in points.
    public init(columns: [Column], rows: [Row], size: Double = 9) {
        self.columns = columns
        self.rows = rows
        self.size = size
    }
}

/// A point of a drawing. The vertical axis points down.
public struct PDFPoint: Sendable, Hashable {
    let x: Double
    let y: Double

    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}

/// A picture in PNG or SVG.
public struct PDFImage: Sendable {
    let bytes: [UInt8]
    let maxPixels: Int
    let alternative: [PDFBlock]

    /// - Parameters:
    ///   - bytes: of the file.
    ///   - maxPixels: the most that a PNG may have. One that has more is not decoded.
    ///   - alternative: what stands in the place of a picture that cannot be read: texts.
    public init(_ bytes: [UInt8], maxPixels: Int, else alternative: [PDFBlock] = []) {
        self.bytes = bytes
        self.maxPixels = maxPixels
        self.alternative = alternative
    }

    /// Whether the bytes are one PNG that can be decoded to its end, with nothing behind it.
    ///
    /// It may be called on any thread. A picture of too many pixels, or of a longer side, is refused before it is decoded.
    ///
    /// - Parameter side: the longest side that it may have, in pixels.
    public func isPNG(ofAtMost side: Int) throws(PDFError) -> Bool {
        try DrawingLibraries.load()
        return Picture.canDecode(self, side: side)
    }

    /// The picture as a PNG that is no larger than print needs; nil if it cannot be drawn.
    ///
    /// A few bytes may take minutes, and more memory than there is. Therefore a server calls it in a process of its own.
    public func bitmap() throws(PDFError) -> [UInt8]? {
        try DrawingLibraries.load()
        return try DrawingLibraries.inTurn { Picture(self)?.png }
    }
}
