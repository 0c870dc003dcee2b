import DomainKit
import Testing

@testable import RPCServer

/// The header that names the file of a document.
struct ContentDispositionTests {
    @Test(arguments: [
        ("Convention été 2026.pdf", "Convention _t_ 2026.pdf", "Convention%20%C3%A9t%C3%A9%202026.pdf"),
        ("a\"b\\c/d.pdf", "a-b-c-d.pdf", "a-b-c-d.pdf"), ("50 %.pdf", "50 _.pdf", "50%20%25.pdf"),
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
