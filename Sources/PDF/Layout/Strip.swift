/// An element of the document's structure, such as a paragraph (`P`). Lines of one element have the same one.
final class Element {
    let tag: String

    init(_ tag: String) { self.tag = tag }
}

/// What is never broken: a line of text, a picture, a space.
struct Line {
    let height: Double
    let element: Element?
    /// Draws with the upper left corner at a point of the page.
    let draw: (_ x: Double, _ y: Double, _ width: Double) -> Void

    static func space(_ height: Double) -> Line {
        Line(height: height, element: nil) { _, _, _ in }
    }
}

/// Lines below each other, in a part of the width.
struct Cell {
    /// From the left margin.
    let x: Double
    let width: Double
    let lines: [Line]
    /// The tag around all its lines, such as `TD`.
    var tag: String?
    /// The ground, which reaches beyond the lines by the inset.
    var ground: PDFColor?
    var inset = 0.0

    func height(_ range: Range<Int>) -> Double {
        lines[range].reduce(0) { $0 + $1.height }
    }
}

/// What stands between two horizontal lines of a page: the unit in which pages are filled. One that does not fit is broken
/// between lines of its cells.
struct Strip {
    var cells: [Cell]
    /// The distance to what stands above on the page.
    var gap = 0.0
    var padding = 0.0
    var ground: PDFColor?
    var hasLineBelow = false
    /// Whether it is on the page of the strip after it. If it may be broken, its last lines are.
    var keepsWithNext = false
    /// The tag of the strip, such as `TR`.
    var tag: String?
    /// The element around several strips, such as `Table`.
    var group: Element?
    /// The strip that is repeated above this one on each further page.
    var head: [Strip] = []
    /// Up to this height it goes to the next page rather than being broken.
    var unbrokenHeight = 0.0
    var startsPage = false

    /// The height of the lines from these on.
    func height(from starts: [Int]) -> Double {
        let content = zip(cells, starts).map { $0.height($1..<$0.lines.count) }.max() ?? 0
        return content + 2 * padding
    }

    var height: Double { height(from: cells.map { _ in 0 }) }

    /// Whether it may be broken where a page ends.
    var isBreakable: Bool { height > unbrokenHeight }

    /// Whether it is one text that fills a good part of a page.
    var isLongText: Bool { cells.count == 1 && cells[0].lines.count > 14 }

    /// The height of the last two lines; of a long text that of the last four, so that it is not torn for two.
    var endHeight: Double {
        let count = isLongText ? 4 : 2
        return (cells.map { $0.height($0.lines.indices.suffix(count)) }.max() ?? 0) + 2 * padding
    }
}

/// A strip, or the part of it that is on one page.
struct PlacedStrip {
    let strip: Strip
    let y: Double
    let height: Double
    /// For each cell the lines that are on this page.
    let lines: [Range<Int>]
}
