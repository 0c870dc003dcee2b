import Testing

@testable import Auth

/// What authenticators write, and what is refused.
struct CBORReaderTests {
    private static func read(_ bytes: [UInt8]) -> CBORValue? {
        var reader = CBORReader(bytes[...])
        do throws(CBORError) {
            let value = try reader.readItem()
            return reader.isAtEnd ? value : nil
        } catch {
            return nil
        }
    }

    /// From RFC 8949, appendix A.
    @Test(
        arguments: [
            ([0x00], .integer(0)), ([0x17], .integer(23)), ([0x18, 0x18], .integer(24)),
            ([0x19, 0x03, 0xE8], .integer(1_000)),
            ([0x1A, 0x00, 0x0F, 0x42, 0x40], .integer(1_000_000)), ([0x20], .integer(-1)),
            ([0x38, 0x63], .integer(-100)),
            ([0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .integer(.min)),
            ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])), ([0x62, 0xC3, 0xBC], .text("ü")), ([0x80], .array([])),
            ([0x82, 0x01, 0xF5], .array([.integer(1), .bool(true)])), ([0xF4], .bool(false)), ([0xF6], .null),
            ([0xA1, 0x61, 0x61, 0x01], .map([CBORMember(key: .text("a"), value: .integer(1))])),
        ] as [([UInt8], CBORValue)])
    func `items are read as they are written`(bytes: [UInt8], value: CBORValue) {
        #expect(Self.read(bytes) == value)
        #expect(Self.read(bytes + [0]) == nil)
        for length in bytes.indices { #expect(Self.read(Array(bytes[..<length])) == nil, "the first \(length) bytes") }
    }

    @Test(
        arguments: [
            [], [0x1C], [0x1F], [0x5F, 0xFF], [0x9F, 0xFF], [0xBF, 0xFF], [0xC0, 0x00], [0xF9, 0x00, 0x00], [0xFF],
            // A number, a length and counts beyond all bounds.
            [0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x9A, 0xFF, 0xFF, 0xFF, 0xFF, 0x00], [0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            // No UTF-8, and a key that comes twice.
            [0x61, 0xFF], [0xA2, 0x01, 0x02, 0x01, 0x03],
        ] as [[UInt8]])
    func `everything else is refused`(bytes: [UInt8]) {
        #expect(Self.read(bytes) == nil)
    }

    @Test func `depth and number of items are bounded`() {
        #expect(Self.read(Array(repeating: 0x81, count: 4) + [0x00]) != nil)
        #expect(Self.read(Array(repeating: 0x81, count: 5) + [0x00]) == nil)
        #expect(Self.read([0x98, 63] + Array(repeating: 0x00, count: 63)) != nil)
        #expect(Self.read([0x98, 64] + Array(repeating: 0x00, count: 64)) == nil)
    }
}
