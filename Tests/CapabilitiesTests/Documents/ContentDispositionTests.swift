import DomainKit
import Testing

@testable import Documents

/// The header that names the file of a document.
struct ContentDispositionTests {
    @Test(arguments: [
        ("Convention été 2026.pdf", "Convention ete 2026.pdf", "Convention%20%C3%A9t%C3%A9%202026.pdf"),
        (
            "Récapitulatif – L’Œuvre à Čáslav ŒÆß.pdf", "Recapitulatif - L'OEuvre a Caslav OEAEss.pdf",
            "R%C3%A9capitulatif%20%E2%80%93%20L%E2%80%99%C5%92uvre%20%C3%A0%20%C4%8C%C3%A1slav%20%C5%92%C3%86%C3%9F.pdf"
        ),
        ("e\u{301}te\u{301}\u{A0}ø ñ.pdf", "ete o n.pdf", "e%CC%81te%CC%81%C2%A0%C3%B8%20%C3%B1.pdf"),
        ("日本 😀 Ж «a».pdf", "__ _ _ 'a'.pdf", "%E6%97%A5%E6%9C%AC%20%F0%9F%98%80%20%D0%96%20%C2%ABa%C2%BB.pdf"),
        ("a\"b\\c/d.pdf", "a-b-c-d.pdf", "a-b-c-d.pdf"), ("50 %.pdf", "50 _.pdf", "50%20%25.pdf"),
        ("a%\u{301}41.pdf", "a_41.pdf", "a%25%CC%8141.pdf"),
        ("a\r\nX-Evil: 1.pdf", "a--X-Evil- 1.pdf", "a--X-Evil-%201.pdf"), ("../x.pdf", "-x.pdf", "-x.pdf"),
        ("", "document", "document"),
    ])
    func `a name is sent in ASCII and in UTF-8, without what could end the header or a folder`(
        name: String, ascii: String, encoded: String
    ) {
        let value = ContentDisposition.value(for: Document(kind: .pdf, name: name, bytes: []))
        #expect(value == "inline; filename=\"\(ascii)\"; filename*=UTF-8''\(encoded)")
    }

    @Test func `a format that a browser may not show is an attachment`() {
        let value = ContentDisposition.value(for: Document(kind: .csv, name: "a.csv", bytes: []))
        #expect(value.hasPrefix("attachment; "))
    }
}
