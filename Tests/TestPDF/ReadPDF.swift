import ChildProcesses
import Foundation
import TestSupport

/// A PDF file as the programs of Poppler read it.
package struct ReadPDF: Sendable {
    /// A page with its words.
    package struct Page: Sendable {
        package let width: Double
        package let height: Double
        package let words: [Word]
    }

    /// A word and its box, in points from the upper left corner.
    package struct Word: Sendable {
        package let text: String
        package let left: Double
        package let top: Double
        package let right: Double
        package let bottom: Double
    }

    package let pages: [Page]
    private let folder: TemporaryFolder

    package init(_ bytes: [UInt8]) async throws {
        folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url("document.pdf"))
        let boxes = try await Self.run("pdftotext", ["-raw", "-bbox", "\(folder.path)/document.pdf", "-"])
        var pages: [Page] = []
        var words: [Word] = []
        var size = (width: 0.0, height: 0.0)
        for line in boxes.split(separator: "\n") {
            if line.contains("<page ") {
                size = (try Self.number("width", in: line), try Self.number("height", in: line))
                words = []
            } else if line.contains("</page>") {
                pages.append(Page(width: size.width, height: size.height, words: words))
            } else if line.contains("<word ") {
                words.append(try Self.word(line))
            }
        }
        self.pages = pages
    }

    /// The text in the order of the file, without line breaks.
    package var text: String {
        pages.flatMap(\.words).map(\.text).joined(separator: " ")
    }

    /// The text of one page.
    package func text(ofPage index: Int) -> String { pages[index].words.map(\.text).joined(separator: " ") }

    /// What `pdfinfo` says of the file, line by line.
    package func information(_ options: String...) async throws -> String {
        try await Self.run("pdfinfo", options + ["\(folder.path)/document.pdf"])
    }

    /// The fonts: each with the name it has in the file, and whether it is embedded.
    package func fonts() async throws -> [(name: String, isEmbedded: Bool)] {
        let lines = try await Self.run("pdffonts", ["\(folder.path)/document.pdf"]).split(separator: "\n").dropFirst(2)
        return lines.map { line in
            // After name, type and encoding, from the right: emb, sub, uni, object and generation.
            let columns = line.split(separator: " ")
            return (String(columns[0]), columns[columns.count - 5] == "yes")
        }
    }

    /// How many pictures a page has.
    package func images(onPage index: Int) async throws -> Int {
        let page = String(index + 1)
        let lines = try await Self.run(
            "pdfimages", ["-list", "-f", page, "-l", page, "\(folder.path)/document.pdf"])
        return lines.split(separator: "\n").count { $0.split(separator: " ").dropFirst(2).first == "image" }
    }

    /// A page as a picture of characters: the darkness of each cell of ten points, from 0 to 9.
    package func picture(ofPage index: Int) async throws -> [[Int]] {
        let name = "\(folder.path)/page"
        _ = try await Self.run(
            "pdftoppm",
            [
                "-r", "72", "-gray", "-singlefile", "-f", "\(index + 1)", "-l", "\(index + 1)",
                "\(folder.path)/document.pdf", name,
            ])
        let file = [UInt8](try Data(contentsOf: URL(filePath: name + ".pgm")))
        // P5, width, height and 255, each followed by white space.
        let header = file.split(separator: 0x0A, maxSplits: 3)
        guard header.count == 4 else { throw TestEnvironmentError("no picture of page \(index)") }
        let size = String(decoding: header[1], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        let (width, height, pixels) = (size[0], size[1], Array(header[3]))
        return (0..<height / 10).map { row in
            (0..<width / 10).map { column in
                var darkness = 0
                for y in row * 10..<row * 10 + 10 {
                    for x in column * 10..<column * 10 + 10 { darkness += 255 - Int(pixels[y * width + x]) }
                }
                // Text covers a third of its ground at most, so that three times the mean fills the scale.
                return min(9, darkness * 30 / 25_500)
            }
        }
    }

    private static func word(_ line: Substring) throws -> Word {
        let text = line.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
        let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")].reduce(String(text)) {
            $0.replacing($1.0, with: $1.1)
        }
        return Word(
            text: plain, left: try number("xMin", in: line), top: try number("yMin", in: line),
            right: try number("xMax", in: line), bottom: try number("yMax", in: line))
    }

    private static func number(_ name: String, in line: Substring) throws -> Double {
        guard let start = line.firstRange(of: "\(name)=\"")?.upperBound,
            let number = Double(line[start...].prefix { $0 != "\"" })
        else { throw TestEnvironmentError("no \(name) in \(line)") }
        return number
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let path = "/usr/bin/\(program)"
        let process = try await ChildProcess.run(path, arguments, environment: ["LC_ALL": "C.UTF-8"])
        guard process.status == 0 else { throw TestEnvironmentError("\(program): \(process.errors)") }
        return process.output
    }
}
