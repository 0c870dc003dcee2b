import CZlib
import PDF
import TestPDF
import Testing

/// Pictures in PNG whose data or chunks are far larger than what they show.
@Suite struct PictureContentTests {
    /// A grey PNG of 10 × 10 pixels.
    ///
    /// - Parameters:
    ///   - rows: what the data inflates to; 110 bytes are the rows of the picture.
    ///   - chunks: other chunks before the data.
    private static func png(
        _ rows: [UInt8] = [UInt8](repeating: 0, count: 110), _ chunks: [(name: String, content: [UInt8])] = [],
        interlaced: Bool = false, behind: [UInt8] = []
    ) -> [UInt8] {
        let header: [UInt8] = [0, 0, 0, 10, 0, 0, 0, 10, 8, 0, 0, 0, interlaced ? 1 : 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunks.flatMap { chunk($0.name, $0.content) } + chunk("IDAT", deflated(rows)) + chunk("IEND", []) + behind
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return bytes(UInt32(content.count)) + checked + bytes(UInt32(crc32(0, checked, UInt32(checked.count))))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(count))
        compress2(&result, &count, bytes, UInt(bytes.count), 9)
        return Array(result.prefix(Int(count)))
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
        let profile = Array("p\0\0".utf8) + Self.deflated([UInt8](repeating: 0, count: 7 * Self.million))
        let text = Array("Comment\0\0".utf8) + Self.deflated([UInt8](repeating: 0x20, count: 7 * Self.million))
        let png = Self.png([UInt8](repeating: 0, count: 110), [("iCCP", profile), ("zTXt", text), ("neWx", [1, 2])])
        #expect(try Self.isTaken(png))
        let bitmap = try #require(try PDFImage(png, maxPixels: Self.million).bitmap())
        #expect(bitmap.count < 1_000)
    }
}
