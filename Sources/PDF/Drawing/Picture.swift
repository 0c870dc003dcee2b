import CDrawing

/// A picture that has been read. It owns the library's object.
final class Picture {
    /// Width over height.
    let aspect: Double
    private let source: Source

    private enum Source {
        case bitmap(OpaquePointer)
        case drawing(UnsafeMutableRawPointer)
    }

    /// The pixels of a side that are written: print needs no more in the boxes of a page.
    private static let longestSide = 900

    /// Nil if the bytes are neither a PNG of a sensible size nor an SVG that can be drawn, without texts.
    init?(_ image: PDFImage) {
        if image.bytes.starts(with: PNGContent.mark) {
            guard let bitmap = Self.bitmap(image) else { return nil }
            source = .bitmap(bitmap)
            aspect = Double(cairo_image_surface_get_width(bitmap)) / Double(cairo_image_surface_get_height(bitmap))
        } else {
            guard !Self.hasText(image.bytes) else { return nil }
            let handle = image.bytes.withUnsafeBufferPointer { crsvg_read($0.baseAddress, UInt($0.count)) }
            guard let handle else { return nil }
            guard Self.canDraw(handle) else {
                crsvg_release(handle)
                return nil
            }
            let aspect = crsvg_aspect(handle)
            source = .drawing(handle)
            self.aspect = aspect > 0 ? aspect : 1
        }
    }

    deinit {
        switch source {
        case .bitmap(let surface): cairo_surface_destroy(surface)
        case .drawing(let handle): crsvg_release(handle)
        }
    }

    /// The size at the picture's own proportions in a box.
    func size(within width: Double, _ height: Double) -> (width: Double, height: Double) {
        aspect > width / height ? (width, width / aspect) : (height * aspect, height)
    }

    func draw(on cairo: OpaquePointer, x: Double, y: Double, width: Double, height: Double) {
        cairo_save(cairo)
        defer { cairo_restore(cairo) }
        cairo_rectangle(cairo, x, y, width, height)
        cairo_clip(cairo)
        switch source {
        case .bitmap(let surface):
            cairo_translate(cairo, x, y)
            cairo_scale(
                cairo, width / Double(cairo_image_surface_get_width(surface)),
                height / Double(cairo_image_surface_get_height(surface)))
            cairo_set_source_surface(cairo, surface, 0, 0)
            cairo_paint(cairo)
        case .drawing(let handle):
            crsvg_draw(handle, cairo, x, y, width, height)
        }
    }

    /// The picture as a PNG; nil if it cannot be drawn in this size.
    var png: [UInt8]? {
        let (width, height): (Double, Double) =
            switch source {
            case .bitmap(let surface):
                (Double(cairo_image_surface_get_width(surface)), Double(cairo_image_surface_get_height(surface)))
            case .drawing: size(within: Double(Self.longestSide), Double(Self.longestSide))
            }
        guard
            let surface = cairo_image_surface_create(
                CAIRO_FORMAT_ARGB32, Int32(max(1, width.rounded())), Int32(max(1, height.rounded())))
        else { return nil }
        defer { cairo_surface_destroy(surface) }
        let cairo = cairo_create(surface)
        defer { cairo_destroy(cairo) }
        guard let cairo else { return nil }
        draw(on: cairo, x: 0, y: 0, width: max(1, width), height: max(1, height))
        guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS else { return nil }
        var writer = Writer()
        let status = withUnsafeMutablePointer(to: &writer) { writer in
            cairo_surface_write_to_png_stream(
                surface,
                { context, data, length in
                    guard let writer = context?.assumingMemoryBound(to: Writer.self), let data else {
                        return CAIRO_STATUS_WRITE_ERROR
                    }
                    writer.pointee.bytes += UnsafeBufferPointer(start: data, count: Int(length))
                    return CAIRO_STATUS_SUCCESS
                }, writer)
        }
        return status == CAIRO_STATUS_SUCCESS ? writer.bytes : nil
    }

    /// Whether an SVG has an element `text`. A large one ends the program in librsvg 2.54 or keeps it busy without end, and how
    /// large it is follows from all transformations around it. Without its font it would look different anyway: a logo has
    /// paths in the place of texts.
    private static func hasText(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "<")).contains { tag in
            let name = tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            return name.elementsEqual("text".utf8) || name.suffix(5).elementsEqual(":text".utf8)
        }
    }

    /// Draws it on a small surface. A drawing that ends in an error while a page is drawn would spoil the page.
    private static func canDraw(_ drawing: UnsafeMutableRawPointer) -> Bool {
        let side = 64.0
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(side), Int32(side)) else {
            return false
        }
        defer { cairo_surface_destroy(surface) }
        let cairo = cairo_create(surface)
        defer { cairo_destroy(cairo) }
        return crsvg_draw(drawing, cairo, 0, 0, side, side) != 0 && cairo_status(cairo) == CAIRO_STATUS_SUCCESS
    }

    /// Whether the bytes are a PNG of at most this size that can be decoded, without bytes behind its end.
    static func canDecode(_ image: PDFImage, side: Int) -> Bool {
        guard let content = PNGContent(image.bytes, maxPixels: image.maxPixels), content.isWhole,
            max(content.width, content.height) <= side, let decoded = decoded(content)
        else { return false }
        cairo_surface_destroy(decoded)
        return true
    }

    /// Decodes a PNG; nil if it is damaged or ends too early.
    private static func decoded(_ content: PNGContent) -> OpaquePointer? {
        var reader = Reader(rest: content.bytes[...])
        let decoded = withUnsafeMutablePointer(to: &reader) { reader in
            cairo_image_surface_create_from_png_stream(
                { context, data, length in
                    guard let reader = context?.assumingMemoryBound(to: Reader.self), let data,
                        reader.pointee.rest.count >= Int(length)
                    else { return CAIRO_STATUS_READ_ERROR }
                    for (index, byte) in reader.pointee.rest.prefix(Int(length)).enumerated() { data[index] = byte }
                    reader.pointee.rest.removeFirst(Int(length))
                    return CAIRO_STATUS_SUCCESS
                }, reader)
        }
        guard let decoded else { return nil }
        guard cairo_surface_status(decoded) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(decoded)
            return nil
        }
        return decoded
    }

    /// Decodes a PNG, no larger than is of use.
    private static func bitmap(_ image: PDFImage) -> OpaquePointer? {
        guard let content = PNGContent(image.bytes, maxPixels: image.maxPixels), let decoded = decoded(content) else {
            return nil
        }
        let (width, height) = (content.width, content.height)
        let factor = Double(longestSide) / Double(max(width, height))
        guard factor < 1 else { return decoded }
        defer { cairo_surface_destroy(decoded) }
        let reduced = cairo_image_surface_create(
            CAIRO_FORMAT_ARGB32, Int32(max(1, Double(width) * factor)), Int32(max(1, Double(height) * factor)))
        let context = cairo_create(reduced)
        cairo_scale(context, factor, factor)
        cairo_set_source_surface(context, decoded, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BEST)
        cairo_paint(context)
        cairo_destroy(context)
        return reduced
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
    }

    private struct Writer {
        var bytes: [UInt8] = []
    }
}
