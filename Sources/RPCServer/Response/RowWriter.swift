import JSON
import NIOCore

extension ByteBuffer {
    /// Writes the first `count` rows, separated by commas. Each value is copied from the memory of the driver.
    ///
    /// A selection may name one column a thousand times, so a few values can become gigabytes. Rows that certainly
    /// exceed `end` are therefore refused before memory is allocated for them.
    /// - Parameter end: the writer index that the rows must not exceed.
    /// - Throws: if the rows do not fit. Some of them may have been written.
    mutating func writeRows(
        _ count: Int, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(ResponseBufferFullError) {
        var row = 0
        var capacity = 512
        var isMeasured = false
        while row < count {
            let left = end - writerIndex
            guard left > 0 else { throw ResponseBufferFullError() }
            var unused = 0
            writeWithUnsafeMutableBytes(minimumWritableBytes: Swift.min(capacity, left)) { memory in
                let memory = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(left))
                guard var output = RowBuffer(memory) else { return 0 }
                row = program.write(row..<count, of: rows, into: &output)
                unused = memory.count - output.count
                return output.count
            }
            guard row < count else { return }
            // The next row did not fit into the unused bytes, not even if they reached as far as `end`.
            guard unused < end - writerIndex else { throw ResponseBufferFullError() }
            capacity = 2 * Swift.max(capacity, unused)
            guard !isMeasured else { continue }
            isMeasured = true
            guard let size = program.leastSize(of: row..<count, in: rows, upTo: end - writerIndex) else {
                throw ResponseBufferFullError()
            }
            capacity = Swift.max(capacity, size + size / 16)
        }
    }
}

/// The writer reached the end of the space that a result may take. It is converted to a ``ResponseSizeError`` where the
/// budget is known.
struct ResponseBufferFullError: Error {}

/// Memory of a fixed size into which rows are written as JSON. An append that does not fit writes nothing and sets
/// ``isFull``; the writer then removes the incomplete row and continues with more memory.
struct RowBuffer: JSONOutput {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    /// The number of bytes written.
    private(set) var count = 0
    private(set) var isFull = false

    /// - Parameter memory: must not be empty.
    init?(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress else { return nil }
        self.start = start
        capacity = memory.count
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, let place = take(bytes.count) else { return }
        place.copyMemory(from: source, byteCount: bytes.count)
    }

    mutating func append(_ byte: UInt8) {
        take(1)?.storeBytes(of: byte, as: UInt8.self)
    }

    /// Appends `bytes` in quotes, without escapes. Checks the capacity once.
    mutating func appendQuoted(_ bytes: UnsafeRawBufferPointer) {
        guard let place = take(bytes.count + 2) else { return }
        place.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        if let source = bytes.baseAddress { (place + 1).copyMemory(from: source, byteCount: bytes.count) }
        place.storeBytes(of: UInt8(ascii: "\""), toByteOffset: bytes.count + 1, as: UInt8.self)
    }

    /// Removes all bytes after the first `count`.
    mutating func truncate(to count: Int) {
        self.count = count
    }

    private mutating func take(_ length: Int) -> UnsafeMutableRawPointer? {
        guard length <= capacity - count else {
            isFull = true
            return nil
        }
        defer { count += length }
        return start + count
    }
}
