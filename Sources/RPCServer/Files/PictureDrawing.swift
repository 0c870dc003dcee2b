/// What draws the pictures that accounts give, apart from the server.
///
/// A few bytes of SVG can keep a library busy for hours, and those of a PNG can ask for all memory. No check of the bytes tells.
package protocol PictureDrawing: Sendable {
    /// - Parameters:
    ///   - bytes: of a PNG or SVG.
    ///   - deadline: when the drawing ends without a result.
    func draw(
        _ bytes: [UInt8], by deadline: ContinuousClock.Instant
    ) async throws(PictureDrawingError) -> DrawnPicture
}

/// What became of the bytes of a picture.
package enum DrawnPicture: Sendable, Equatable {
    case png([UInt8])
    /// The bytes are damaged, or no picture that is drawn.
    case unreadable
    /// It takes more time or memory than a picture may.
    case tooCostly
}

/// Why it is not known what a picture shows.
package enum PictureDrawingError: Error, Sendable {
    /// The deadline passed, perhaps because the machine was busy.
    case timeout
    /// Nothing can be drawn now: what is missing, for the log.
    case unavailable(String)
}

/// In a service that draws no pictures.
struct NoDrawing: PictureDrawing {
    func draw(
        _ bytes: [UInt8], by deadline: ContinuousClock.Instant
    ) async throws(PictureDrawingError) -> DrawnPicture { throw .unavailable("this service draws none") }
}
