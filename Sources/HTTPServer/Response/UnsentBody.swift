import NIOCore

/// The part of a large body that the channel does not have yet.
///
/// It holds no piece of which all bytes were taken, so that a piece's memory is free when its last slice has been sent.
struct UnsentBody {
    private var pieces: CircularBuffer<ByteBuffer>

    init(_ pieces: some Sequence<ByteBuffer>) {
        self.pieces = CircularBuffer(pieces.lazy.filter { $0.readableBytes > 0 })
    }

    var isEmpty: Bool { pieces.isEmpty }

    var readableBytes: Int { pieces.reduce(0) { $0 + $1.readableBytes } }

    /// Takes the next bytes, which are of one piece.
    /// - Parameter maxBytes: must be greater than zero.
    /// - Returns: the bytes, and how many bytes of memory are free when they have been sent; nil when none is left.
    mutating func takeSlice(upTo maxBytes: Int) -> (slice: ByteBuffer, freedBytes: Int)? {
        guard var piece = pieces.popFirst(), let slice = piece.readSlice(length: min(maxBytes, piece.readableBytes))
        else { return nil }
        guard piece.readableBytes == 0 else {
            pieces.prepend(piece)
            return (slice, 0)
        }
        return (slice, piece.storageCapacity)
    }
}
