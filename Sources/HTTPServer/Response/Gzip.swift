import CZlib
import NIOCore
import Synchronization

/// Compresses a whole body at once.
enum Gzip {
    /// `body` as a gzip file (RFC 1952), or nil when that has no fewer bytes.
    ///
    /// - Parameter level: from 1 (quick) to 9 (small).
    static func compress(
        _ body: ByteBuffer, _ allocator: ByteBufferAllocator, level: Int32 = Z_DEFAULT_COMPRESSION
    ) -> ByteBuffer? {
        var stream = z_stream()
        guard stream.begin(level: level) else { return nil }
        defer { deflateEnd(&stream) }
        let limit = body.readableBytes - 1
        guard limit > 0 else { return nil }
        var compressed = allocator.buffer(capacity: limit)
        let isComplete = body.withUnsafeReadableBytes { input in
            var isComplete = false
            compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: limit) { output in
                // zlib does not write to its input, but its type does not say so.
                stream.next_in = UnsafeMutablePointer(mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(limit)
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
                return limit - Int(stream.avail_out)
            }
            return isComplete
        }
        guard isComplete else { return nil }
        // The buffer is as large as the body was. An unsent response shall not hold memory that it does not use.
        guard compressed.readableBytes < limit / 2 else { return compressed }
        var exact = allocator.buffer(capacity: compressed.readableBytes)
        exact.writeBuffer(&compressed)
        return exact
    }
}

extension z_stream {
    /// Begins a gzip file. Returns false if there is no memory for it.
    mutating func begin(level: Int32) -> Bool {
        // 16 more than the largest window asks for gzip's header and checksum instead of zlib's.
        deflateInit2_(
            &self, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }
}

/// The compressed form of a body that never changes; compressed when it is first needed.
package final class CachedGzip: Sendable {
    private enum State {
        case notCompressed
        /// nil when the compressed form is not shorter.
        case compressed(ByteBuffer?)
    }

    private let state = Mutex(State.notCompressed)

    package init() {}

    /// Whether the body has not been compressed yet.
    var isEmpty: Bool {
        state.withLock { state in
            if case .notCompressed = state { true } else { false }
        }
    }

    /// - Parameter compress: called at most once in the cache's life.
    func bytes(_ compress: () -> ByteBuffer?) -> ByteBuffer? {
        state.withLock { state in
            if case .compressed(let bytes) = state { return bytes }
            let bytes = compress()
            state = .compressed(bytes)
            return bytes
        }
    }
}
