import NIOCore
import NIOHTTP1

/// Prepares the body of a response for sending: compresses it if the client accepts that, and divides a large one.
struct BodyEncoding: Sendable {
    /// Larger bodies are not prepared on an event loop; in bytes.
    private static let maxOnLoop = 32 * 1_024
    /// The size of the pieces of a large body, in bytes. The memory of each is free when it has been sent.
    private static let pieceBytes = 1_024 * 1_024

    let minCompressedBytes: Int
    let acceptsGzip: Bool
    let allocator: ByteBufferAllocator

    /// Whether the preparation takes so long that it does not belong on an event loop.
    func isLong(for response: HTTPResponse) -> Bool {
        let bytes = response.body.readableBytes
        guard bytes > Self.maxOnLoop, !response.isEncoded else { return false }
        if isCompressible(response), acceptsGzip { return response.cachedGzip?.isEmpty ?? true }
        return bytes > Self.pieceBytes && response.cachedGzip == nil
    }

    /// Prepares a body that ``isLong(for:)``. Runs on the executor of long computations, where the compression of a large body
    /// makes room for the work of other clients after each part.
    func encoded(_ response: HTTPResponse) async -> HTTPResponse {
        var response = response
        let isLarge = response.body.readableBytes > Self.pieceBytes && response.cachedGzip == nil
        guard isLarge, acceptsGzip, isCompressible(response) else {
            encode(&response)
            return response
        }
        if var pieces = await GzipStream.compress(response.body, allocator) {
            response.body = pieces.removeFirst()
            response.furtherPieces = pieces
            response.isGzip = true
        } else {
            divide(&response)
        }
        response.isEncoded = true
        response.variesByEncoding = true
        return response
    }

    /// Prepares any other body.
    func encode(_ response: inout HTTPResponse) {
        response.isEncoded = true
        response.variesByEncoding = isCompressible(response)
        if response.variesByEncoding, acceptsGzip, let compressed = compress(response) {
            response.body = compressed
            response.isGzip = true
        }
        if response.body.readableBytes > Self.pieceBytes, response.cachedGzip == nil { divide(&response) }
    }

    private func isCompressible(_ response: HTTPResponse) -> Bool {
        response.status == .ok && response.isCompressible && response.body.readableBytes >= minCompressedBytes
    }

    private func compress(_ response: HTTPResponse) -> ByteBuffer? {
        guard let cache = response.cachedGzip else { return Gzip.compress(response.body, allocator) }
        // It is compressed once, and sent often.
        return cache.bytes { Gzip.compress(response.body, allocator, level: 9) }
    }

    private func divide(_ response: inout HTTPResponse) {
        var body = response.body
        var pieces: [ByteBuffer] = []
        while let part = body.readSlice(length: min(Self.pieceBytes, body.readableBytes)), part.readableBytes > 0 {
            var piece = allocator.buffer(capacity: part.readableBytes)
            piece.writeImmutableBuffer(part)
            pieces.append(piece)
        }
        response.body = pieces.removeFirst()
        response.furtherPieces = pieces
    }
}
