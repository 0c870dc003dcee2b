import ArgumentParser
import DomainKit
import Glibc
import PDF

/// The process of ``PictureProcess``: reads a picture from standard input and writes it to standard output as a PNG.
struct DrawPicture: ParsableCommand {
    static let name = "draw-picture"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Draw a picture, for the server.", shouldDisplay: false)

    /// A usual logo takes a tenth of a second, most of which is loading the libraries. The largest picture that is taken has 64 MB
    /// decoded, and takes a second; more than two on a slow processor that has other work.
    private static let limits = DrawingLimits(seconds: 4, memory: 512 << 20)

    func run() throws {
        if let problem = Self.limits.set() {
            write(problem, to: STDOUT_FILENO)
            throw ExitCode(DrawingLimits.Status.unavailable.rawValue)
        }
        let picture = PDFImage(DrawingLimits.readAll(), maxPixels: FileKind.maxPixels)
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
