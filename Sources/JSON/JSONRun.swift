/// Finds the bytes of a JSON string that need no escaping.
public enum JSONRun {
    @inlinable public static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable public static var tops: UInt64 { 0x8080_8080_8080_8080 }

    /// The index of the first quote, backslash or control character from `start` on; `bytes.count` if there is none.
    ///
    /// Looks at eight bytes a step. A borrow of the subtractions can mark a byte wrongly, but only above a byte that is
    /// marked rightly, so the lowest mark is always right.
    @inlinable public static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let marks = (below(0x20, word) | equal(to: 0x22, word) | equal(to: 0x5C, word)) & tops
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C { return index }
            index += 1
        }
        return index
    }

    @inlinable public static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var seen: UInt64 = 0
        var index = 0
        while index + 8 <= bytes.count {
            seen |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            seen |= UInt64(bytes[index])
            index += 1
        }
        return seen & tops == 0
    }

    @inlinable public static func below(_ limit: UInt64, _ word: UInt64) -> UInt64 {
        (word &- ones &* limit) & ~word
    }

    @inlinable public static func equal(to byte: UInt64, _ word: UInt64) -> UInt64 {
        let difference = word ^ (ones &* byte)
        return (difference &- ones) & ~difference
    }
}
