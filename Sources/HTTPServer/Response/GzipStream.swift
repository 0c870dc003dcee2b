import CZlib
import NIOCore
import Synchronization

/// Compresses a large body part by part into pieces, each of which is free when it has been sent.
final class GzipStream {
    /// How many bytes are compressed before the work of others has its turn: some milliseconds.
    private static let partBytes = 256 * 1_024
    private static let pieceBytes = 256 * 1_024
    /// How many bodies are compressed at the same time. Each takes 256 kB and what is compressed of it; beyond that, bodies
    /// are sent as they are.
    private static let maxRunning = 8
    private static let running = Atomic(0)

    /// Where zlib keeps its state, which refers back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let allocator: ByteBufferAllocator
    private var pieces: [ByteBuffer] = []

    private init?(_ allocator: ByteBufferAllocator) {
        self.allocator = allocator
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Twice as fast as the default, for a result that is hardly larger.
        guard stream.pointee.begin(level: 3) else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// `body` as a gzip file in one or more pieces. Nil if that has no fewer bytes, if the task was cancelled, or if enough
    /// bodies are being compressed already.
    static func compress(_ body: ByteBuffer, _ allocator: ByteBufferAllocator) async -> [ByteBuffer]? {
        let count = running.add(1, ordering: .relaxed).newValue
        defer { running.subtract(1, ordering: .relaxed) }
        guard count <= maxRunning, let gzip = GzipStream(allocator) else { return nil }
        var rest = body
        while let part = rest.readSlice(length: min(partBytes, rest.readableBytes)), part.readableBytes > 0 {
            guard gzip.compress(part, isLast: rest.readableBytes == 0) else { return nil }
            await Task.yield()
            guard !Task.isCancelled else { return nil }
        }
        gzip.shrinkLastPiece()
        return gzip.pieces.reduce(0) { $0 + $1.readableBytes } < body.readableBytes ? gzip.pieces : nil
    }

    private func compress(_ part: ByteBuffer, isLast: Bool) -> Bool {
        part.withUnsafeReadableBytes { input in
            // zlib does not write to its input, but its type does not say so.
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            while true {
                if pieces.last?.writableBytes ?? 0 == 0 { pieces.append(allocator.buffer(capacity: Self.pieceBytes)) }
                var status = Z_OK
                pieces[pieces.count - 1].writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { output in
                    stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(output.count)
                    status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    return output.count - Int(stream.pointee.avail_out)
                }
                if status == Z_STREAM_END { return true }
                // No progress was possible: all input is taken.
                if status == Z_BUF_ERROR { return !isLast }
                guard status == Z_OK else { return false }
                if !isLast, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 { return true }
            }
        }
    }

    /// An unsent response shall not hold memory that it does not use.
    private func shrinkLastPiece() {
        guard var last = pieces.popLast(), last.readableBytes > 0 else { return }
        var exact = allocator.buffer(capacity: last.readableBytes)
        exact.writeBuffer(&last)
        pieces.append(exact)
    }
}
