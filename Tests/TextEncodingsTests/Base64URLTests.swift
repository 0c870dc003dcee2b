import Testing
import TextEncodings

@Suite struct Base64URLTests {
    @Test func `decoding returns the bytes that were encoded, for every length`() {
        for length in 0...70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
    }

    @Test func `the alphabet is the one for URLs and there is no padding`() {
        #expect(Base64URL.encode([0xFB, 0xEF, 0xFF]) == "--__")
        #expect(Base64URL.encode([0]) == "AA")
    }

    @Test(arguments: ["A", "AB", "AA=", "AA==", "AB=", "A+", "A/", "é", "A A", "AA A", "AAB"])
    func `a text that encoding never writes is not decoded`(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}
