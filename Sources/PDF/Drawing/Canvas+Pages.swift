extension Canvas {
    /// Draws each page with its head and foot.
    ///
    /// - Parameter before: how many pages of another document they follow.
    func draw(_ pages: [[PlacedStrip]], of document: PDFDocument, after before: Int) {
        let frame = Frame(document, self)
        for (index, strips) in pages.enumerated() {
            if index > 0 { drawHead(document, frame) }
            draw(strips, frame)
            drawFoot(document, frame, label: document.pageLabel?(before + index + 1, before + pages.count))
            showPage()
        }
    }

    /// Draws blocks into a place of a page, without tags. They are reduced if they are higher.
    func draw(_ blocks: [PDFBlock], in place: PDFPlace) {
        let lines = BlockLayout(canvas: self, width: place.width).stack(blocks, width: place.width)
        let height = lines.reduce(0) { $0 + $1.height }
        show(at: place.x, place.y, scale: height > place.height ? place.height / height : 1) { _ in
            var y = 0.0
            for line in lines {
                line.draw(0, y, place.width)
                y += line.height
            }
        }
    }

    private func draw(_ strips: [PlacedStrip], _ frame: Frame) {
        var group: Element?
        for placed in strips {
            if placed.strip.group !== group {
                if let group { endTag(group.tag) }
                group = placed.strip.group
                if let group { beginTag(group.tag) }
            }
            draw(placed, frame)
        }
        // An element is closed on each page, and what stands in the margins belongs to none.
        if let group { endTag(group.tag) }
    }

    private func draw(_ placed: PlacedStrip, _ frame: Frame) {
        let strip = placed.strip
        if let ground = strip.ground {
            fill(ground, x: frame.left, y: placed.y, width: frame.width, height: placed.height)
        }
        for cell in strip.cells {
            guard let ground = cell.ground else { continue }
            fill(
                ground, x: frame.left + cell.x - cell.inset, y: placed.y, width: cell.width + 2 * cell.inset,
                height: placed.height)
        }
        if strip.hasLineBelow {
            line(theme.line, x: frame.left, y: placed.y + placed.height, width: frame.width)
        }
        tagged(strip.tag) {
            for (cell, range) in zip(strip.cells, placed.lines) {
                tagged(cell.tag) { draw(cell, range, x: frame.left + cell.x, y: placed.y + strip.padding) }
            }
        }
    }

    /// Draws lines below each other, and tags those of one element together.
    private func draw(_ cell: Cell, _ range: Range<Int>, x: Double, y: Double) {
        var y = y
        var element: Element?
        for line in cell.lines[range] {
            if line.element !== element {
                if let element { endTag(element.tag) }
                element = line.element
                if let element { beginTag(element.tag) }
            }
            line.draw(x, y, cell.width)
            y += line.height
        }
        if let element { endTag(element.tag) }
    }

    // MARK: Margins

    private func drawHead(_ document: PDFDocument, _ frame: Frame) {
        let style = PDFTextStyle(size: 7.5, color: theme.muted)
        let (left, right) = document.runningHead
        let part = frame.width * 0.68
        drawLine(left, style, x: frame.left, y: 27, width: part)
        drawLine(
            right, style.aligned(.trailing), x: frame.left + part + 12, y: 27, width: frame.width - part - 12)
    }

    private func drawFoot(_ document: PDFDocument, _ frame: Frame, label: String?) {
        var y = frame.bottom + 14
        line(theme.line, x: frame.left, y: y - 5, width: frame.width)
        if let label {
            let style = PDFTextStyle(size: 7.5, color: theme.muted, alignment: .trailing)
            drawLine(
                label, style, x: frame.left + frame.width - Frame.labelWidth, y: y, width: Frame.labelWidth)
        }
        for line in frame.foot {
            line.draw(frame.left, y, frame.width)
            y += line.height
        }
    }

    /// Draws the part of a text that fits on one line.
    private func drawLine(_ text: String, _ style: PDFTextStyle, x: Double, y: Double, width: Double) {
        guard !text.isEmpty else { return }
        TextLayout(PDFText(text), style, width: width, on: self, isEllipsized: true).lines(of: nil).first?
            .draw(x, y, width)
    }
}
