import PDF
import TestPDF
import Testing

/// Pages that are added to the end of a document.
@Suite struct AppendixTests {
    private static func document(_ title: String, _ blocks: [PDFBlock]) -> PDFDocument {
        PDFDocument(
            title: title, author: "Ada", language: "en", created: "2026-08-03T10:00:00Z", blocks: blocks,
            pageLabel: { page, _ in "Page \(page)" })
    }

    private static let long = document(
        "Long", (1...120).map { .paragraph(PDFText("Paragraph \($0) of (some) text \\ 3 0 R")) })
    private static let short = document(
        "Short",
        [
            .heading("Evidence", level: 1), .paragraph("Signed by ) Ada ( 12 0 R"),
            .strokes([[PDFPoint(0, 0), PDFPoint(40, 20)]], width: 170, height: 70),
        ])

    @Test func `the bytes of the document stay the beginning of the new one, and its pages come first`() async throws {
        let shown = try Self.long.bytes()
        let addition = try Self.short.appendix(to: shown)
        let again = try Self.short.appendix(to: shown)
        #expect(addition == again)
        let before = try await ReadPDF(shown)
        let after = try await ReadPDF(shown + addition)
        #expect(before.pages.count > 1)
        #expect(after.pages.count == before.pages.count + 1)
        let added = try await ReadPDF(try Self.short.bytes()).text
        // The numbers of the pages count on.
        #expect(after.text == before.text + " " + added.replacing("Page 1", with: "Page \(after.pages.count)"))
        for (page, old) in zip(after.pages, before.pages) { #expect(page.words.map(\.text) == old.words.map(\.text)) }
    }

    @Test func `the new document keeps its title and is tagged from the first page to the last`() async throws {
        let shown = try Self.long.bytes()
        let pdf = try await ReadPDF(shown + Self.short.appendix(to: shown))
        let information = try await pdf.information()
        #expect(information.contains("Title:") && information.contains("Long"))
        #expect(information.contains(/Tagged: +yes/))
        let structure = try await pdf.information("-struct-text")
        #expect(structure.contains("Paragraph 120 of"))
        let heading = try #require(structure.firstRange(of: "Evidence"))
        let paragraph = try #require(structure.firstRange(of: "Paragraph 120"))
        #expect(paragraph.lowerBound < heading.lowerBound)
    }

    @Test func `places of the document are filled where they stand, each once, and its bytes stay`() async throws {
        let shown = try Self.document(
            "Contract",
            (1...60).map { .paragraph(PDFText("Clause \($0)")) } + [
                .columns([
                    PDFColumn(isFramed: true, [.paragraph("Left"), .place("left", width: 400, height: 60)]),
                    PDFColumn(isFramed: true, [.paragraph("Right"), .place("right", width: 400, height: 60)]),
                ])
            ]
        ).bytes()
        let addition = try Self.short.appendix(
            to: shown,
            filling: [
                "left": { height in
                    [
                        .strokes([[PDFPoint(0, 0), PDFPoint(90, 40), PDFPoint(180, 0)]], width: 100, height: 30),
                        .paragraph(PDFText("Ada \(Int(height))")),
                    ]
                },
                "right": { _ in (1...20).map { .paragraph(PDFText("Line\($0)")) } },
                "elsewhere": { _ in [.paragraph("Nowhere")] },
            ])
        let pdf = try await ReadPDF(shown + addition)
        #expect(pdf.pages.count == 3)
        let words = pdf.pages[1].words
        let left = try #require(words.first { $0.text == "Left" })
        let ada = try #require(words.first { $0.text == "Ada" })
        let line = try #require(words.first { $0.text == "Line1" })
        #expect(ada.left == left.left && (left.bottom...left.bottom + 75).contains(ada.top))
        let last = try #require(words.first { $0.text == "Line20" })
        #expect(line.left > 290 && last.left == line.left, "what is higher than the place is reduced")
        #expect(line.top >= left.top && last.bottom - line.top < 61, "\(line) \(last)")
        #expect(words.contains { $0.text == "60" }, "the height of the place")
        #expect(pdf.text.ranges(of: "Ada").count == 2, "in the place, and on the page of its own")
        #expect(!pdf.text.contains("Nowhere"))
        // A second appendix leaves them as they are.
        let again = try Self.short.appendix(to: shown + addition)
        #expect(try await ReadPDF(shown + addition + again).text(ofPage: 1) == pdf.text(ofPage: 1))
    }

    @Test func `pages are added to a document that has added pages`() async throws {
        var bytes = try Self.short.bytes()
        for count in 2...4 {
            bytes += try Self.short.appendix(to: bytes)
            #expect(try await ReadPDF(bytes).pages.count == count)
        }
    }

    @Test(arguments: [[], Array("%PDF-1.4\n%%EOF\n".utf8), Array("startxref\n9\n%%EOF".utf8)] as [[UInt8]])
    func `nothing is added to what is no such file`(bytes: [UInt8]) {
        #expect(throws: PDFError.self) { try Self.short.appendix(to: bytes) }
    }

    @Test func `a table that leads to itself is not followed for ever`() throws {
        let shown = try Self.short.bytes()
        let text = String(decoding: shown.suffix(60), as: UTF8.self)
        let start = try #require(text.firstRange(of: "startxref\n"))
        let table = text[start.upperBound...].prefix { $0.isNumber }
        let offset = shown.count
        let circle = Array(
            "xref\n0 0\ntrailer\n<< /Size 9 /Root 1 0 R /Prev \(offset) >>\nstartxref\n\(offset)\n%%EOF\n".utf8)
        #expect(!table.isEmpty)
        #expect(throws: PDFError.self) { try Self.short.appendix(to: shown + circle) }
    }
}
