import Foundation
import TestSupport
package import Testing

extension ReadPDF {
    /// Expects that every word is on its page, off the edge, and covers no other word.
    package func expectTidyLayout(sourceLocation: SourceLocation = #_sourceLocation) {
        for (index, page) in pages.enumerated() {
            for word in page.words {
                let isInside =
                    word.left > 20 && word.right < page.width - 20 && word.top > 15 && word.bottom < page.height - 15
                #expect(isInside, "page \(index + 1): \(word)", sourceLocation: sourceLocation)
            }
            for (position, word) in page.words.enumerated() {
                let covered = page.words[..<position].first { word.covers($0) }
                #expect(
                    covered == nil, "page \(index + 1): \(word) covers \(String(describing: covered))",
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// How dark the box at the top left of a page is, in which the logo of a letterhead stands.
    package func darknessOfLogo(onPage index: Int) async throws -> Int {
        try await picture(ofPage: index)[4..<9].map { $0[5..<22].reduce(0, +) }.reduce(0, +)
    }

    /// Expects the first page to look like the golden picture, within what differs between versions of the libraries.
    ///
    /// The picture is coarse, a digit for the darkness of ten points square: rasterizers differ in how they smooth a glyph,
    /// not in how dark a place is. Bytes and pixels depend on the versions of cairo, Pango, FreeType and Poppler.
    package func expectPicture(
        toMatch name: String, of target: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let picture = try await picture(ofPage: 0)
        let text = picture.map { $0.map(String.init).joined() + "\n" }.joined()
        let file = URL(filePath: try ProjectFiles.root()).appending(path: "Tests/\(target)/Goldens/\(name)")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" { try Data(text.utf8).write(to: file) }
        let golden = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            line.compactMap(\.wholeNumberValue)
        }
        #expect(golden.count == picture.count, sourceLocation: sourceLocation)
        let differences = zip(golden.joined(), picture.joined()).map { abs($0 - $1) }
        let mean = Double(differences.reduce(0, +)) / Double(max(differences.count, 1))
        let most = differences.max() ?? 0
        #expect(
            mean < 0.15 && most <= 6, "\(name): mean \(mean), most \(most)\n\(text)", sourceLocation: sourceLocation)
    }
}

extension ReadPDF.Word {
    /// Whether the middle of the other word lies in this one. Boxes are as high as the font, so that those of neighbouring
    /// lines touch.
    fileprivate func covers(_ other: Self) -> Bool {
        let (x, y) = ((other.left + other.right) / 2, (other.top + other.bottom) / 2)
        return left < x && x < right && top < y && y < bottom
    }
}
