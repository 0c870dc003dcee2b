import PDF
import TestPDF
import Testing

/// Pictures in PNG whose data or chunks are far larger than what they show.
@Suite struct PictureContentTests {
    /// A PNG of 10 × 10 pixels; 110 bytes are its rows.
    private static func png(
        _ rows: [UInt8] = [UInt8](repeating: 0, count: 110), _ chunks: [(name: String, content: [UInt8])] = [],
        interlaced: Bool = false, behind: [UInt8] = []
    ) -> [UInt8] {
        PNGFile.bytes(width: 10, height: 10, rows: rows, chunks: chunks, interlaced: interlaced, behind: behind)
    }

    private static let million = 1_000_000

    private static func isTaken(_ png: [UInt8]) throws -> Bool {
        try PDFImage(png, maxPixels: million).isPNG(ofAtMost: 2_000)
    }

    @Test func `a picture whose data inflates to more than its pixels is refused, and left out of a document`()
        async throws
    {
        for isInterlaced in [false, true] {
            // The seven passes have twenty rows together, with a byte for each.
            let rows = [UInt8](repeating: 0, count: isInterlaced ? 120 : 110)
            #expect(try Self.isTaken(Self.png(rows, interlaced: isInterlaced)))
            let large = Self.png([UInt8](repeating: 0, count: 45 * Self.million), interlaced: isInterlaced)
            #expect(large.count < 50_000)
            #expect(try !Self.isTaken(large))
            let pdf = try await PDFDocumentTests.read([
                .image(PDFImage(large, maxPixels: Self.million, else: [.paragraph("Instead")]), width: 99, height: 99)
            ])
            #expect(pdf.text.hasPrefix("Instead"))
        }
        #expect(try !Self.isTaken(Self.png([UInt8](repeating: 0, count: 90))), "a row is missing")
        #expect(try !Self.isTaken(Self.png(behind: [0])), "a byte follows the end")
    }

    /// A profile of colours that inflates to 7 MB: libpng reads such a one, and complains about the next.
    @Test func `chunks that say nothing of the pixels are passed over`() async throws {
        let profile = Array("p\0\0".utf8) + PNGFile.deflated([UInt8](repeating: 0, count: 7 * Self.million))
        let text = Array("Comment\0\0".utf8) + PNGFile.deflated([UInt8](repeating: 0x20, count: 7 * Self.million))
        let png = Self.png([UInt8](repeating: 0, count: 110), [("iCCP", profile), ("zTXt", text), ("neWx", [1, 2])])
        #expect(try Self.isTaken(png))
        let bitmap = try #require(try PDFImage(png, maxPixels: Self.million).bitmap())
        #expect(bitmap.count < 1_000)
    }
}
