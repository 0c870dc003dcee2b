import DomainKit
import NIOCore

extension ByteBuffer {
    /// Where the readable byte number `offset` stands in a text of UTF-8; columns count Unicode scalars.
    func position(ofByte offset: Int) -> Problem.Position {
        let before = readableBytesView.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        return Problem.Position(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: before[start...].count { $0 & 0xC0 != 0x80 } + 1)
    }
}
