import RPCServer

/// Draws pictures in processes of this program, each of which ends with its picture.
struct PictureProcess: PictureDrawing {
    /// A larger result is not taken. That of 900 pixels a side has 4 MB at most.
    private static let process = DrawingProcess(command: DrawPicture.name, maxBytes: 8 << 20)

    func draw(
        _ bytes: [UInt8], by deadline: ContinuousClock.Instant
    ) async throws(PictureDrawingError) -> DrawnPicture {
        switch await Self.process.run(bytes, by: deadline) {
        case .drawn(let png): return .png(png)
        case .unreadable: return .unreadable
        case .excessive: return .tooCostly
        case .timeout: throw .timeout
        case .unavailable(let cause): throw .unavailable(cause)
        }
    }
}
