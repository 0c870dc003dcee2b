import DomainKit
import Testing

@Suite struct BlankTextTests {
    /// The texts that the database refuses as well are cases of `Tests/Cases/rules.json`.
    @Test func `a text of one character is blank if Unicode says that the character does not show`() {
        var differing: [String] = []
        for value in UInt32(1)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let isHidden =
                properties.isWhitespace || properties.isDefaultIgnorableCodePoint
                || properties.generalCategory == .control
            if String(scalar).isBlank != isHidden { differing.append(String(value, radix: 16)) }
        }
        #expect(differing == [])
    }

    @Test func `one character that shows is enough`() {
        #expect("".isBlank)
        #expect("\u{200B}\u{2060}\u{1680} ".isBlank)
        #expect(!"\u{200B}.\u{2060}".isBlank)
    }
}
