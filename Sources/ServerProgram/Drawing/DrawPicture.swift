import ArgumentParser
import DomainKit
import Glibc
import PDF

/// The process of ``PictureProcess``: reads a picture from standard input and writes it to standard output as a PNG.
struct DrawPicture: ParsableCommand {
    static let name = "draw-picture"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Draw a picture, for the server.", shouldDisplay: false)

    /// A usual logo takes a tenth of a second, most of which is loading the libraries.
    ///
    /// The largest PNG that is taken has 64 MB decoded, and takes a second; more than two on a slow processor that has other work.
    /// What an SVG takes has no such bound: it gets less, so that it reaches its limit before a call's deadline of ten seconds also
    /// where it has a quarter of a processor.
    private static func limits(for bytes: [UInt8]) -> DrawingLimits {
        let isPNG = bytes.starts(with: [0x89] + Array("PNG".utf8))
        return DrawingLimits(seconds: isPNG ? 4 : 2, memory: 512 << 20)
    }

    func run() throws {
        let bytes = DrawingLimits.readAll()
        if let problem = Self.limits(for: bytes).set() {
            write(problem, to: STDOUT_FILENO)
            throw ExitCode(DrawingLimits.Status.unavailable.rawValue)
        }
        let picture = PDFImage(bytes, maxPixels: FileKind.maxPixels)
        do {
            guard let png = try picture.bitmap() else {
                throw ExitCode(DrawingLimits.Status.unreadable.rawValue)
            }
            try writeAll(png, to: STDOUT_FILENO)
        } catch let error as PDFError {
            write(error.description, to: STDOUT_FILENO)
            throw ExitCode(DrawingLimits.Status.unavailable.rawValue)
        }
    }
}
