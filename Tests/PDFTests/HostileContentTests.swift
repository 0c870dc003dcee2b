import PDF
import TestPDF
import Testing

/// Texts and pictures that would break a careless layout.
@Suite struct HostileContentTests {
    static let texts = [
        "", " ", "\n\n\n", "a\u{0}b\u{1B}[31mc", String(repeating: "W", count: 600),
        String(repeating: "مرحبا بالعالم ", count: 30), "שלום \u{202E}txt.exe\u{202C} after", "👩‍🏫🏳️‍🌈🔥🇫🇷 end",
        "\u{FDFD}\u{FDFD}\u{FDFD}", "Z" + String(repeating: "\u{300}", count: 80) + "algo",
        String(repeating: "\u{1F600}", count: 100), "田中太郎 ไทย हिन्दी", "\u{FFFF}\u{10FFFF}",
    ]

    @Test(arguments: texts)
    func `a text in every place leaves what is around it readable`(text: String) async throws {
        let hostile = PDFText(text)
        let pdf = try await PDFDocumentTests.read([
            .columns([
                PDFColumn([.paragraph(hostile)]),
                PDFColumn(isFramed: true, [.paragraph(hostile), .fields([PDFField(hostile, hostile)])]),
            ]),
            .heading(hostile, level: 1), .paragraph("Before"), .paragraph(hostile), .paragraph("Between"),
            .fields([PDFField(hostile, hostile), PDFField("Label", "Value")]), .bullets([hostile]),
            .table(
                PDFTable(
                    columns: [.init("Left", share: 1), .init(hostile, share: 1), .init("Right", share: 6)],
                    rows: [.init([hostile, hostile, "Beside"]), .init(["x", hostile, "Below"], isEmphasized: true)])),
            .paragraph("End"),
        ])
        let words = ["Before", "Between", "Label", "Value", "Left", "Right", "Beside", "Below", "End"]
        let read = pdf.pages.flatMap(\.words).map(\.text).filter(words.contains)
        var distinct: [String] = []
        for word in read where !distinct.contains(word) { distinct.append(word) }
        #expect(distinct == words)
        for page in pdf.pages {
            for word in page.words {
                #expect(word.left > 20 && word.right < page.width - 20, "\(word)")
                #expect(word.bottom < page.height - 15, "\(word)")
            }
        }
        let fonts = try await pdf.fonts()
        let strangers = fonts.filter { !$0.isEmbedded }
        #expect(strangers.isEmpty)
    }

    /// The same drawing of one red pixel, and what is no picture at all.
    @Test(arguments: [
        "", "GIF89a", "\u{89}PNG", "<svg", "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "<svg xmlns='http://www.w3.org/2000/svg' width='1e9' height='1'><rect width='9' height='9'/></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink' viewBox='0 0 9 9'>"
            + "<image width='9' height='9' x:href='file:///etc/passwd'/></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text font-size='1e9'>a</text></svg>",
        "<s:svg xmlns:s='http://www.w3.org/2000/svg' width='9' height='9'><s:g transform='scale(1e9)'>"
            + "<s:text\n>a</s:text></s:g></s:svg>",
    ])
    func `a picture that cannot be read leaves its place out`(bytes: String) async throws {
        let pdf = try await PDFDocumentTests.read([
            .paragraph("Before"), .image(PDFImage(Array(bytes.utf8), maxPixels: 1_000_000), width: 100, height: 50),
            .paragraph("After"),
        ])
        #expect(pdf.text.hasPrefix("Before After"))
        #expect(!pdf.text.contains("root:"))
    }

    @Test func `a picture that cannot be read has its alternative in its place, and the writer says so`() async throws {
        let block = PDFBlock.image(
            PDFImage(Array("<svg".utf8), maxPixels: 1_000_000, else: [.paragraph("Instead")]), width: 100, height: 50)
        let (bytes, warnings) = try PDFDocumentTests.document([
            .paragraph("Before"), block, .columns([PDFColumn([block])]), .paragraph("After"),
        ]).written()
        #expect(warnings == ["a picture of 4 bytes cannot be read", "a picture of 4 bytes cannot be read"])
        let pdf = try await ReadPDF(bytes)
        #expect(pdf.text.hasPrefix("Before Instead Instead After"))
    }

    @Test func `a picture that could not be drawn before is not told to have no bytes`() throws {
        let block = PDFBlock.image(PDFImage([], maxPixels: 1_000_000, else: []), width: 100, height: 50)
        let warnings = try PDFDocumentTests.document([block]).written().warnings
        #expect(warnings == ["a picture cannot be read"])
    }

    @Test func `a drawing by hand is scaled into its box`() async throws {
        let wild = [[PDFPoint(-1e6, 5), PDFPoint(1e6, 5), PDFPoint(.nan, .infinity)], [PDFPoint(0, 0)], []]
        let pdf = try await PDFDocumentTests.read([
            .paragraph("Before"), .strokes(wild, width: 100, height: 50), .paragraph("After"),
        ])
        let picture = try await pdf.picture(ofPage: 0)
        // The box is at the left margin: the outer half of the page has ink in the foot only.
        let right = picture.dropLast(8).flatMap { $0[20...] }
        #expect(right.max() == 0)
        let ink = picture.dropLast(8).joined().filter { $0 > 0 }
        #expect(ink.count > 10)
    }
}
