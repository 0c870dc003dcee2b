/// A document to be written as PDF.
///
/// ```swift
/// let letter = PDFDocument(
///     title: "A letter", author: "Ada", language: "en", created: "2026-08-03T10:00:00Z",
///     blocks: [.heading("Dear reader", level: 1), .paragraph("This is a letter.")])
/// let bytes = try letter.bytes()
/// ```
public struct PDFDocument: Sendable {
    /// The sheet.
    public enum Page: Sendable { case a4, a4Landscape }

    public let title: String
    public let author: String
    /// A language tag, such as `fr-FR`.
    public let language: String
    /// The date of creation in ISO 8601, which the document carries. Equal documents have equal bytes.
    public let created: String
    public let page: Page
    public let theme: PDFTheme
    public let blocks: [PDFBlock]
    /// Small lines at the foot of each page.
    public let footer: [String]
    /// A line at the head of each page but the first: what stands left, and right.
    public let runningHead: (left: String, right: String)
    /// What numbers a page; none if nil.
    public let pageLabel: (@Sendable (_ page: Int, _ count: Int) -> String)?

    public init(
        title: String, author: String, language: String, created: String, page: Page = .a4,
        theme: PDFTheme = PDFTheme(),
        blocks: [PDFBlock], footer: [String] = [], runningHead: (left: String, right: String) = ("", ""),
        pageLabel: (@Sendable (Int, Int) -> String)? = nil
    ) {
        self.title = title
        self.author = author
        self.language = language
        self.created = created
        self.page = page
        self.theme = theme
        self.blocks = blocks
        self.footer = footer
        self.runningHead = runningHead
        self.pageLabel = pageLabel
    }

    /// The document as PDF: A4, its fonts embedded, tagged for screen readers.
    ///
    /// It depends on the document, the installed fonts and the versions of the libraries only. It may be called on any
    /// thread, and waits until no other document of the process is drawn.
    public func bytes() throws(PDFError) -> [UInt8] { try written().bytes }

    /// The document as PDF, and what was left out of it: pictures that cannot be read, characters that no font has or that can be
    /// drawn as pictures only.
    public func written() throws(PDFError) -> (bytes: [UInt8], warnings: [String]) { try written(after: 0) }

    /// - Parameter before: how many pages of another document its pages follow.
    func written(after before: Int) throws(PDFError) -> (bytes: [UInt8], warnings: [String]) {
        try DrawingLibraries.inTurn { () throws(PDFError) in try drawn(after: before) }
    }

    private func drawn(after before: Int) throws(PDFError) -> (bytes: [UInt8], warnings: [String]) {
        let canvas = try Canvas(self)
        let pages = Paginator(self, canvas).pages()
        canvas.draw(pages, of: self, after: before)
        let bytes = PDFFile.labelled(try canvas.finish(), language: language, places: canvas.places)
        var warnings = canvas.warnings
        if canvas.picturedGlyphs > 0 {
            warnings.append(
                "no installed font has outlines of \(canvas.picturedGlyphs) characters, which are drawn as pictures that cannot "
                    + "be copied or searched")
        }
        if canvas.unknownGlyphs > 0 {
            warnings.append(
                "no installed font has \(canvas.unknownGlyphs) characters, which are drawn as boxes with their code")
        }
        return (bytes, warnings)
    }
}

/// The font and the colours of a document.
public struct PDFTheme: Sendable {
    public var family: String
    public var text: PDFColor
    /// Labels and notes.
    public var muted: PDFColor
    /// Headings.
    public var accent: PDFColor
    /// The ground of heads of tables and of frames.
    public var tint: PDFColor
    /// Thin lines.
    public var line: PDFColor

    /// The default: Lato, a humanist sans-serif, in dark grey and blue.
    public init(
        family: String = "Lato", text: PDFColor = PDFColor(0x1E2630), muted: PDFColor = PDFColor(0x5B6775),
        accent: PDFColor = PDFColor(0x1B4B7A), tint: PDFColor = PDFColor(0xF1F5F9), line: PDFColor = PDFColor(0xCBD5E1)
    ) {
        self.family = family
        self.text = text
        self.muted = muted
        self.accent = accent
        self.tint = tint
        self.line = line
    }
}

/// Why a document cannot be written: what the library says.
public struct PDFError: Error, CustomStringConvertible {
    public let description: String
}
