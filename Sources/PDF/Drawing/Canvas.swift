import CDrawing

/// The surface of a document while it is written. It owns the objects of cairo and Pango, and releases them with itself.
final class Canvas {
    let cairo: OpaquePointer
    /// For texts in fonts with outlines.
    let text: OpaquePointer
    let theme: PDFTheme
    let width: Double
    let height: Double
    /// What is left out of the document.
    var warnings: [String] = []
    /// How many characters no installed font has. They are drawn as boxes with their code.
    var unknownGlyphs = 0
    /// How many characters only a font of pictures has, such as new emoji. They can be neither searched nor copied.
    var picturedGlyphs = 0
    /// The room that the document has for an appendix.
    var places: [PDFPlace] = []
    /// The page that is drawn, from 0.
    private(set) var page = 0
    private var textInAllFonts: OpaquePointer?
    private let language: String
    private let surface: OpaquePointer
    private let output: Output

    /// Receives the bytes as cairo writes them.
    private final class Output {
        var bytes: [UInt8] = []
    }

    init(_ document: PDFDocument) throws(PDFError) {
        try DrawingLibraries.load()
        let (short, long) = (595.276, 841.890)
        (width, height) = document.page == .a4 ? (short, long) : (long, short)
        theme = document.theme
        language = document.language
        output = Output()
        guard
            let surface = cairo_pdf_surface_create_for_stream(
                { context, data, length in
                    guard let context, let data else { return CAIRO_STATUS_WRITE_ERROR }
                    let output = Unmanaged<Output>.fromOpaque(context).takeUnretainedValue()
                    output.bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(length)))
                    return CAIRO_STATUS_SUCCESS
                }, Unmanaged.passUnretained(output).toOpaque(), width, height)
        else { throw PDFError(description: "cairo made no surface") }
        // PDF 1.4 has the plain cross-reference table that PDFFile reads.
        cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4)
        for (name, value) in [
            (CAIRO_PDF_METADATA_TITLE, document.title), (CAIRO_PDF_METADATA_AUTHOR, document.author),
            (CAIRO_PDF_METADATA_CREATE_DATE, document.created), (CAIRO_PDF_METADATA_MOD_DATE, document.created),
        ] {
            cairo_pdf_surface_set_metadata(surface, name, value)
        }
        guard let cairo = cairo_create(surface),
            let text = coutlines_context(cairo, document.language, DrawingLibraries.outlineFonts)
        else {
            cairo_surface_destroy(surface)
            throw PDFError(description: "cairo made no context")
        }
        self.surface = surface
        self.cairo = cairo
        self.text = text
    }

    deinit {
        cpango_release(UnsafeMutableRawPointer(text))
        if let textInAllFonts { cpango_release(UnsafeMutableRawPointer(textInAllFonts)) }
        cairo_destroy(cairo)
        // The surface writes what it still holds into the output, which lives as long as this object.
        cairo_surface_destroy(surface)
    }

    /// For texts in all fonts, also those of pictures.
    var anyText: OpaquePointer? {
        if textInAllFonts == nil { textInAllFonts = coutlines_context(cairo, language, nil) }
        return textInAllFonts
    }

    /// Ends the document.
    func finish() throws(PDFError) -> [UInt8] {
        let drawn = cairo_status(cairo)
        cairo_surface_finish(surface)
        let written = cairo_surface_status(surface)
        for status in [drawn, written] where status != CAIRO_STATUS_SUCCESS {
            throw PDFError(description: String(cString: cairo_status_to_string(status)))
        }
        return output.bytes
    }

    /// Marks what `draw` draws as an element of the document's structure, such as `P`.
    func tagged(_ name: String?, _ draw: () -> Void) {
        guard let name else { return draw() }
        cairo_tag_begin(cairo, name, nil)
        draw()
        cairo_tag_end(cairo, name)
    }

    func beginTag(_ name: String) { cairo_tag_begin(cairo, name, nil) }

    func endTag(_ name: String) { cairo_tag_end(cairo, name) }

    func showPage() {
        cairo_show_page(cairo)
        page += 1
    }

    func fill(_ color: PDFColor, x: Double, y: Double, width: Double, height: Double) {
        use(color)
        cairo_rectangle(cairo, x, y, width, height)
        cairo_fill(cairo)
    }

    /// A horizontal line, half a point thick.
    func line(_ color: PDFColor, x: Double, y: Double, width: Double) {
        fill(color, x: x, y: y - 0.25, width: width, height: 0.5)
    }

    /// Lines through points, with round ends.
    func stroke(_ lines: [[PDFPoint]], _ color: PDFColor, thickness: Double) {
        use(color)
        cairo_set_line_width(cairo, thickness)
        cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        for points in lines {
            guard let first = points.first else { continue }
            cairo_move_to(cairo, first.x, first.y)
            // A line of one point is a dot.
            for point in points.count > 1 ? points.dropFirst() : points[...] { cairo_line_to(cairo, point.x, point.y) }
        }
        cairo_stroke(cairo)
    }

    private func use(_ color: PDFColor) {
        cairo_set_source_rgb(cairo, color.red, color.green, color.blue)
    }
}
