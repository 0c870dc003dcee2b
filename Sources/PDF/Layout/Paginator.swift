/// Fills pages with the strips of a document, from the top to the bottom.
struct Paginator {
    /// What the margins leave.
    private let frame: Frame
    private let strips: [Strip]
    private var filled: [[PlacedStrip]] = [[]]
    private var y: Double
    /// Whether the page has no strip yet but heads that it repeats.
    private var isEmpty = true

    init(_ document: PDFDocument, _ canvas: Canvas) {
        frame = Frame(document, canvas)
        strips = BlockLayout(canvas: canvas, width: frame.width).strips(document.blocks)
        y = frame.top
    }

    /// The strips of each page. There is one page at least.
    func pages() -> [[PlacedStrip]] {
        var paginator = self
        for index in strips.indices { paginator.place(index) }
        return paginator.filled
    }

    private mutating func place(_ index: Int) {
        let strip = strips[index]
        if strip.startsPage {
            if !isEmpty { startPage() }
            return
        }
        if !isEmpty, y + chainHeight(from: index) > frame.bottom, chainHeight(from: index) <= frame.bottom - frame.top {
            startPage(repeating: strip.head)
        }
        let following = heightFollowing(index)
        var starts = strip.cells.map { _ in 0 }
        while true {
            let gap = isEmpty || starts.contains { $0 > 0 } ? 0 : strip.gap
            let space = frame.bottom - y - gap
            let height = strip.height(from: starts)
            // If what follows does not fit below, the last lines go to its page.
            let leavesEnd = height <= space && height + following > space && height > strip.endHeight
            let room = leavesEnd ? height - strip.endHeight + 2 * strip.padding : space
            if height <= room {
                y += gap
                add(strip, zip(strip.cells, starts).map { $1..<$0.lines.count }, height)
                return
            }
            let fitting = height > strip.unbrokenHeight || isEmpty ? strip.lines(from: starts, within: room) : nil
            guard let fitting else {
                if isEmpty {
                    // A single line that is higher than a page: it is drawn as far as the page goes.
                    add(strip, zip(strip.cells, starts).map { $1..<$0.lines.count }, min(height, space))
                    return
                }
                startPage(repeating: strip.head)
                continue
            }
            y += gap
            let part = zip(strip.cells, fitting).map { $0.height($1) }.max() ?? 0
            add(strip, fitting, part + 2 * strip.padding)
            starts = fitting.map(\.upperBound)
            startPage(repeating: strip.head)
        }
    }

    private mutating func add(_ strip: Strip, _ lines: [Range<Int>], _ height: Double) {
        filled[filled.count - 1].append(PlacedStrip(strip: strip, y: y, height: height, lines: lines))
        y += height
        isEmpty = false
    }

    private mutating func startPage(repeating head: [Strip] = []) {
        filled.append([])
        y = frame.top
        // A head that leaves little room for its rows is not repeated.
        guard head.reduce(0, { $0 + $1.height }) < (frame.bottom - frame.top) / 3 else { return isEmpty = true }
        for strip in head { add(strip, strip.cells.map { 0..<$0.lines.count }, strip.height) }
        isEmpty = true
    }

    /// The height of what must be on the page of the last lines of a strip that may be broken; 0 if a page is too small for both.
    private func heightFollowing(_ index: Int) -> Double {
        let strip = strips[index]
        guard strip.keepsWithNext, strip.isBreakable, index + 1 < strips.count else { return 0 }
        let height = chainHeight(from: index + 1) + (isEmpty ? strips[index + 1].gap : 0)
        return strip.endHeight + height <= frame.bottom - frame.top ? height : 0
    }

    /// The height of a strip with those that must be on its page; of one that may be broken only its first lines.
    private func chainHeight(from index: Int) -> Double {
        var height = 0.0
        for next in strips[index...] {
            if next.startsPage { break }
            height += height > 0 ? next.gap : isEmpty ? 0 : next.gap
            guard next.keepsWithNext, !next.isBreakable else {
                return height + min(next.height, max(next.unbrokenHeight, 2 * next.padding + 30))
            }
            height += next.height
        }
        return height
    }
}

extension Strip {
    /// For each cell the lines that fit into a height; nil if no line does, or only the first of several.
    fileprivate func lines(from starts: [Int], within room: Double) -> [Range<Int>]? {
        var hasAny = false
        var taken: [Range<Int>] = []
        for (cell, start) in zip(cells, starts) {
            var end = start
            var height = 2 * padding
            while end < cell.lines.count, height + cell.lines[end].height <= room {
                height += cell.lines[end].height
                end += 1
            }
            let rest = cell.lines.count - end
            // Neither the first nor the last line of a text stands alone.
            if rest == 1, end - start > 2 { end -= 1 }
            if end - start == 1, start == 0, rest > 1 { end = start }
            hasAny = hasAny || end > start
            taken.append(start..<end)
        }
        return hasAny ? taken : nil
    }
}

/// The part of a page that the margins leave, and what stands in them.
struct Frame {
    let left: Double
    let width: Double
    let top: Double
    let bottom: Double
    /// The lines of the foot, below each other.
    let foot: [Line]

    static let margin = 54.0
    /// Of the place for the number of the page.
    static let labelWidth = 70.0

    init(_ document: PDFDocument, _ canvas: Canvas) {
        left = Self.margin
        let width = canvas.width - 2 * Self.margin
        self.width = width
        top = 46
        let style = PDFTextStyle(size: 7, color: canvas.theme.muted, leading: 1.35)
        // The number of the page stands right of the first line.
        let lines = document.footer.enumerated().flatMap { index, text in
            let free = index == 0 ? width - Self.labelWidth : width
            return TextLayout(PDFText(text), style, width: free, on: canvas).lines(of: nil)
        }
        // A longer foot would leave no room for the content.
        let most = canvas.height / 4
        var used = 0.0
        foot = Array(
            lines.prefix { line in
                used += line.height
                return used <= most
            })
        let height = foot.reduce(0) { $0 + $1.height }
        bottom = canvas.height - 30 - max(height, 10) - 16
    }
}
