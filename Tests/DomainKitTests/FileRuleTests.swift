import Testing

@testable import DomainKit

/// The files that a column may name.
@Suite struct FileRuleTests {
    @Test(arguments: [
        (FileRule([.pdf], maxBytes: 2 << 20), "PDF de 2\u{A0}Mio"),
        (FileRule([.png, .jpeg], maxBytes: 200_000), "PNG ou JPEG de 200\u{A0}ko"),
        (FileRule([.png, .jpeg, .svg], maxBytes: 512 << 10), "PNG, JPEG ou SVG de 512\u{A0}Kio"),
        (FileRule([.png], maxBytes: 1_023), "PNG de 1023\u{A0}octets"),
    ])
    func `the message names the formats and the limit`(rule: FileRule, words: String) {
        #expect(rule.message == "Donnez un fichier \(words) au plus.")
    }
}
