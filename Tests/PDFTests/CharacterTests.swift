import PDF
import TestPDF
import Testing

/// Characters that the font of the documents does not have.
@Suite struct CharacterTests {
    private static func written(_ text: String) async throws -> (pdf: ReadPDF, warnings: [String]) {
        let (bytes, warnings) = try PDFDocumentTests.document([
            .heading(PDFText(text), level: 2), .paragraph(PDFText(text)), .paragraph("End"),
        ]).written()
        return (try await ReadPDF(bytes), warnings)
    }

    /// mends.md, 20: "Emoji as text in PDFs", "Chinese is drawn as boxes".
    @Test(arguments: ["Atelier 🎉 ouvert", "😀 ☎ → ✓ é", "田中太郎 先生", "👩‍🏫 🔥", "한국어 교육", "กขค งจ"])
    func `emoji and letters of Asia are text that can be searched and copied`(text: String) async throws {
        let (pdf, warnings) = try await Self.written(text)
        #expect(warnings == [])
        // Readers need not give the sign that joins emoji, and may give a space in its place.
        func letters(_ text: String) -> String {
            let kept = text.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "\u{200D}" }
            return String(String.UnicodeScalarView(kept))
        }
        #expect(letters(pdf.text).ranges(of: letters(text)).count == 2, "\(pdf.text)")
        #expect(try await pdf.images(onPage: 0) == 0)
        let strangers = try await pdf.fonts().filter { !$0.isEmbedded }
        #expect(strangers.isEmpty)
    }

    @Test func `an emoji that only a font of pictures has is a picture, and is told`() async throws {
        let (pdf, warnings) = try await Self.written("Fondant \u{1FAE0}")
        let told =
            "no installed font has outlines of 2 characters, which are drawn as pictures that cannot be copied or searched"
        #expect(warnings == [told])
        #expect(try await pdf.images(onPage: 0) == 2)
        #expect(pdf.text.ranges(of: "Fondant").count == 2)
    }

    /// A character for private use, which no font has.
    @Test func `a letter that no font has is a box with its code, and is told`() async throws {
        let (pdf, warnings) = try await Self.written("Nom \u{10FFFD} suivi")
        #expect(warnings == ["no installed font has 2 characters, which are drawn as boxes with their code"])
        #expect(pdf.text.contains("suivi") && pdf.text.contains("10F"), "\(pdf.text)")
    }
}
