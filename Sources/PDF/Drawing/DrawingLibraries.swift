import CDrawing
import Synchronization

/// The libraries of `CDrawing`, which are loaded before they are first used.
enum DrawingLibraries {
    private static let areLoaded = Mutex(false)

    /// The installed fonts that have outlines; nil if fontconfig cannot read its settings. The libraries must be loaded.
    ///
    /// It is not changed after it was made.
    nonisolated(unsafe) static let outlineFonts: OpaquePointer? = coutlines_fonts()

    private static let turn = Mutex(())

    /// Runs `body` when no other thread of this process draws: cairo and FreeType share the faces of fonts between threads, and
    /// reading one of pictures, as for emoji, on two threads at once ends the process. A server draws in processes of one document
    /// each, and never waits here.
    static func inTurn<Drawn: Sendable>(_ body: () throws(PDFError) -> Drawn) throws(PDFError) -> Drawn {
        try turn.withLock { _ throws(PDFError) in try body() }
    }

    /// Loads the libraries if they are not loaded yet. A missing one is looked for again by each document, so that it may be
    /// installed while the server runs.
    static func load() throws(PDFError) {
        try areLoaded.withLock { (areLoaded) throws(PDFError) in
            guard !areLoaded else { return }
            if let problem = cdrawing_load() { throw PDFError(description: String(cString: problem)) }
            areLoaded = true
        }
    }
}
