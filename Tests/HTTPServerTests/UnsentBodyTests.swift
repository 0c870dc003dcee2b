import NIOCore
import Testing

@testable import HTTPServer

@Suite struct UnsentBodyTests {
    private static func piece(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    /// Takes slices until none is left: each with a full stop if a piece's memory is free after it.
    private static func slices(of pieces: [ByteBuffer], upTo maxBytes: Int) -> [String] {
        var body = UnsentBody(pieces)
        let heldBytes = pieces.filter { $0.readableBytes > 0 }.reduce(0) { $0 + $1.storageCapacity }
        var slices: [String] = []
        var freed = 0
        while let (slice, freedBytes) = body.takeSlice(upTo: maxBytes) {
            slices.append(String(buffer: slice) + (freedBytes > 0 ? "." : ""))
            freed += freedBytes
        }
        #expect(freed == heldBytes)
        #expect(body.isEmpty)
        #expect(body.readableBytes == 0)
        return slices
    }

    @Test(arguments: [
        (["abcdef"], 4, ["abcd", "ef."]),
        (["abcd"], 4, ["abcd."]),
        (["abcde", "fg", "hij"], 2, ["ab", "cd", "e.", "fg.", "hi", "j."]),
        (["abc", "d"], 8, ["abc.", "d."]),
        (["", "ab", ""], 8, ["ab."]),
        ([], 8, []),
    ]) func `a slice is of one piece, and the last one of a piece frees its memory`(
        pieces: [String], maxBytes: Int, expected: [String]
    ) {
        let body = UnsentBody(pieces.map(Self.piece))
        #expect(body.isEmpty == expected.isEmpty)
        #expect(body.readableBytes == pieces.reduce(0) { $0 + $1.utf8.count })
        #expect(Self.slices(of: pieces.map(Self.piece), upTo: maxBytes) == expected)
    }

    @Test func `bytes of a piece before its reader index are not sent, and its memory is counted whole`() {
        var piece = Self.piece("abcdef")
        piece.moveReaderIndex(forwardBy: 2)
        #expect(Self.slices(of: [piece], upTo: 3) == ["cde", "f."])
    }

    /// Whether no other buffer shares the memory of `buffer`: a shared one takes other memory when it is changed.
    private static func isAlone(_ buffer: inout ByteBuffer) -> Bool {
        let address = buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        buffer.setInteger(UInt8(ascii: "z"), at: buffer.readerIndex)
        return address == buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func `a piece is held until its last slice is taken and not longer`() {
        // The pieces are those of `body` alone and of this array.
        var pieces = (0..<3).map { Self.piece(String(repeating: "\($0)", count: 100)) }
        var body = UnsentBody(pieces)
        for _ in 0..<3 {
            let bytes = body.takeSlice(upTo: 50)?.slice.readableBytes
            #expect(bytes == 50)
        }
        #expect(pieces.indices.map { Self.isAlone(&pieces[$0]) } == [true, false, false])
        #expect(body.readableBytes == 150)
    }
}
