import CDrawing

/// A text broken into lines of a width. It owns Pango's object.
final class TextLayout {
    private let layout: OpaquePointer
    private let style: PDFTextStyle
    private let canvas: Canvas

    /// - Parameters:
    ///   - style: for the runs that do not say otherwise.
    ///   - isEllipsized: whether a text that is wider than its line ends in `…` instead of going on below.
    init(
        _ text: PDFText, _ style: PDFTextStyle, width: Double, on canvas: Canvas, isEllipsized: Bool = false
    ) {
        self.style = style
        self.canvas = canvas
        let attributes = cpango_attributes(canvas.theme.family, style.size)
        defer { pango_attr_list_unref(attributes) }
        var bytes: [UInt8] = []
        for run in text.runs {
            let start = UInt32(bytes.count)
            bytes += run.text.utf8
            let color = run.color ?? style.color ?? canvas.theme.text
            cpango_style(
                attributes, start, UInt32(bytes.count), run.isBold ?? style.isBold ? 1 : 0, color.red, color.green,
                color.blue)
        }
        func broken(_ context: OpaquePointer) -> (OpaquePointer, unknown: Int) {
            let layout: OpaquePointer = bytes.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    cpango_layout(context, $0.baseAddress, Int32($0.count), width, attributes)
                }
            }
            return (layout, Int(pango_layout_get_unknown_glyphs_count(layout)))
        }
        var (made, unknown) = broken(canvas.text)
        // A character without an outline: a font of pictures may have it.
        if unknown > 0, let context = canvas.anyText {
            let (other, rest) = broken(context)
            canvas.picturedGlyphs += max(0, unknown - rest)
            let (used, unused) = rest < unknown ? (other, made) : (made, other)
            (made, unknown) = (used, min(rest, unknown))
            cpango_release(UnsafeMutableRawPointer(unused))
        }
        self.layout = made
        canvas.unknownGlyphs += unknown
        if isEllipsized { pango_layout_set_ellipsize(made, PANGO_ELLIPSIZE_END) }
    }

    deinit { cpango_release(UnsafeMutableRawPointer(layout)) }

    /// The lines, each as high as the style says, or higher if its fonts or glyphs need it.
    func lines(of element: Element?) -> [Line] {
        (0..<pango_layout_get_line_count(layout)).map { index in
            let extents = cpango_line_extents(layout, index)
            let fonts = extents.ascent + extents.descent
            let usual = max(style.size * style.leading, fonts)
            let baseline = (usual - fonts) / 2 + extents.ascent
            // Marks piled upon a letter reach out of the line. Beyond a limit they are cut off.
            let most = 3 * style.size
            let above = min(max(0, extents.ink_ascent - baseline), most)
            let below = min(max(0, extents.ink_descent - (usual - baseline)), most)
            let isClipped = above == most || below == most
            let height = above + usual + below
            return Line(height: height, element: element) { [self] x, y, width in
                canvas.clipped(isClipped ? (x, y, width, height) : nil) {
                    draw(index, extents, x: x, baseline: y + above + baseline, width: width)
                }
            }
        }
    }

    private func draw(_ index: Int32, _ extents: cpango_extents, x: Double, baseline: Double, width: Double) {
        // A single glyph may be wider than its line. It is reduced rather than drawn over its neighbour.
        let covered = extents.right - extents.left
        let scale = covered > width + 0.5 ? width / covered : 1
        let start =
            switch style.alignment {
            case .leading: x
            case .center: x + (width - extents.width * scale) / 2
            case .trailing: x + width - extents.width * scale
            }
        canvas.show(at: start - min(0, extents.left) * (scale < 1 ? scale : 0), baseline, scale: scale) {
            cpango_show_line($0, layout, index)
        }
    }
}
