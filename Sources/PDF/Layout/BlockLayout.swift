/// Makes strips of blocks, at a width.
struct BlockLayout {
    let canvas: Canvas
    let width: Double

    private var theme: PDFTheme { canvas.theme }

    func strips(_ blocks: [PDFBlock]) -> [Strip] {
        var strips: [Strip] = []
        var space = 0.0
        for block in blocks {
            if case .space(let height) = block {
                space += height
                continue
            }
            var next = self.strips(block)
            guard !next.isEmpty else { continue }
            next[0].gap += space
            space = 0
            strips += next
        }
        return strips
    }

    private func strips(_ block: PDFBlock) -> [Strip] {
        switch block {
        case .heading(let text, let level):
            return [
                Strip(
                    cells: [whole(headingLines(text, level))], gap: headingGap(level), keepsWithNext: true,
                    unbrokenHeight: .infinity)
            ]
        case .paragraph(let text, let style):
            guard !text.text.isEmpty else { return [] }
            return [Strip(cells: [whole(lines(text, style, tag: "P"))], gap: 5, unbrokenHeight: 3.5 * style.size * 1.4)]
        case .bullets(let items):
            let list = Element("L")
            return Self.keeping(2, of: items.map { bullet($0, in: list) })
        case .fields(let fields):
            return Self.keeping(4, of: fields.map(field))
        case .columns(let columns):
            return [self.columns(columns)]
        case .table(let table):
            return strips(table)
        case .image, .strokes, .place, .rule:
            let lines = stack([block], width: width)
            return lines.isEmpty ? [] : [Strip(cells: [whole(lines)], gap: 6)]
        case .space:
            return []
        case .together(let blocks):
            var strips = strips(blocks)
            for index in strips.indices.dropLast() { strips[index].keepsWithNext = true }
            for index in strips.indices where !strips[index].isLongText { strips[index].unbrokenHeight = .infinity }
            return strips
        case .pageBreak:
            return [Strip(cells: [], startsPage: true)]
        }
    }

    /// Rows of which so many at least stand together on each side of the end of a page. Fewer than twice as many are on one page.
    private static func keeping(_ least: Int, of rows: [Strip]) -> [Strip] {
        var rows = rows
        for index in rows.indices.dropLast() where index < least - 1 || index >= rows.count - least {
            rows[index].keepsWithNext = true
        }
        return rows
    }

    // MARK: Texts

    private func whole(_ lines: [Line]) -> Cell { Cell(x: 0, width: width, lines: lines) }

    func lines(_ text: PDFText, _ style: PDFTextStyle, tag: String?, width: Double? = nil) -> [Line] {
        TextLayout(text, style, width: width ?? self.width, on: canvas).lines(of: tag.map(Element.init))
    }

    private func headingLines(_ text: PDFText, _ level: Int, width: Double? = nil) -> [Line] {
        let style =
            switch level {
            case 1: PDFTextStyle(size: 20, isBold: true, color: theme.accent, leading: 1.25)
            case 2: PDFTextStyle(size: 12, isBold: true, color: theme.accent)
            default: PDFTextStyle(size: 10, isBold: true)
            }
        return lines(text, style, tag: "H\(level)", width: width)
    }

    private func headingGap(_ level: Int) -> Double {
        switch level {
        case 1: 10
        case 2: 12.5
        default: 9
        }
    }

    private func bullet(_ text: PDFText, in list: Element) -> Strip {
        let indent = 13.0
        let item = lines(text, .body, tag: "LBody", width: width - indent)
        return Strip(
            cells: [
                Cell(x: 2, width: indent - 2, lines: lines("•", .body, tag: "Lbl", width: indent - 2)),
                Cell(x: indent, width: width - indent, lines: item),
            ], gap: 2, tag: "LI", group: list, unbrokenHeight: 60)
    }

    private func field(_ field: PDFField) -> Strip {
        let label = min(130, width * 0.3)
        let style = PDFTextStyle(color: theme.muted)
        return Strip(
            cells: [
                Cell(x: 0, width: label - 10, lines: lines(field.label, style, tag: "P", width: label - 10)),
                Cell(x: label, width: width - label, lines: lines(field.value, .body, tag: "P", width: width - label)),
            ], gap: 1, padding: 0.5, unbrokenHeight: 60)
    }

    // MARK: Columns

    private func columns(_ columns: [PDFColumn]) -> Strip {
        let gap = 16.0
        let isFramed = columns.contains(where: \.isFramed)
        let shares = columns.reduce(0) { $0 + $1.share }
        let free = width - gap * Double(columns.count - 1)
        var x = 0.0
        let cells = columns.map { column in
            let outer = free * column.share / shares
            let inset = column.isFramed ? 11.0 : 0
            defer { x += outer + gap }
            return Cell(
                x: x + inset, width: outer - 2 * inset, lines: stack(column.blocks, width: outer - 2 * inset),
                ground: column.isFramed ? theme.tint : nil, inset: inset)
        }
        return Strip(cells: cells, gap: 9, padding: isFramed ? 9 : 0, unbrokenHeight: 300)
    }

    /// The blocks below each other as lines. Tables and columns do not belong there and are left out.
    func stack(_ blocks: [PDFBlock], width: Double) -> [Line] {
        var stacked: [Line] = []
        func add(_ lines: [Line], gap: Double) {
            guard !lines.isEmpty else { return }
            if !stacked.isEmpty, gap > 0 { stacked.append(.space(gap)) }
            stacked += lines
        }
        for block in blocks {
            switch block {
            case .heading(let text, let level):
                add(headingLines(text, level, width: width), gap: headingGap(level) / 2)
            case .paragraph(let text, let style):
                if !text.text.isEmpty { add(lines(text, style, tag: "P", width: width), gap: 2) }
            case .bullets(let items):
                for item in items { add(lines("• " + item, .body, tag: "P", width: width), gap: 2) }
            case .fields(let fields):
                for field in fields {
                    let label = PDFText(field.label.text + " ", color: theme.muted)
                    add(lines(label + field.value, PDFTextStyle(size: 9), tag: "P", width: width), gap: 1)
                }
            case .image(let image, let most, let height):
                if let picture = Picture(image) {
                    add([line(picture, min(most, width), height)], gap: 4)
                } else {
                    canvas.warnings.append("a picture of \(image.bytes.count) bytes cannot be read")
                    add(stack(image.alternative, width: width), gap: 4)
                }
            case .strokes(let strokes, let most, let height):
                if let line = line(strokes, min(most, width), height) { add([line], gap: 4) }
            case .place(let name, let most, let height):
                add([place(name, min(most, width), height)], gap: 4)
            case .rule:
                add([rule], gap: 4)
            case .space(let height): stacked.append(.space(height))
            case .together(let blocks): add(stack(blocks, width: width), gap: 2)
            case .columns, .table, .pageBreak: continue
            }
        }
        return stacked
    }

    private var rule: Line {
        Line(height: 1, element: nil) { [canvas] x, y, width in
            canvas.line(canvas.theme.line, x: x, y: y + 0.5, width: width)
        }
    }

    private func place(_ name: String, _ width: Double, _ height: Double) -> Line {
        Line(height: height, element: nil) { [canvas] x, y, _ in
            canvas.places.append(PDFPlace(name: name, page: canvas.page, x: x, y: y, width: width, height: height))
        }
    }

    private func line(_ picture: Picture, _ width: Double, _ height: Double) -> Line {
        let size = picture.size(within: width, height)
        return Line(height: size.height, element: Element("Figure")) { [canvas] x, y, _ in
            picture.draw(on: canvas.cairo, x: x, y: y, width: size.width, height: size.height)
        }
    }

    /// Nil without a point.
    private func line(_ strokes: [[PDFPoint]], _ width: Double, _ height: Double) -> Line? {
        let points = strokes.joined().filter { $0.x.isFinite && $0.y.isFinite }
        guard let left = points.map(\.x).min(), let right = points.map(\.x).max(),
            let top = points.map(\.y).min(), let bottom = points.map(\.y).max()
        else { return nil }
        // Room for the thickness of the line, and no enlargement of a small drawing beyond what is natural.
        let scale = min((width - 4) / max(right - left, 1), (height - 4) / max(bottom - top, 1), 2)
        return Line(height: height, element: Element("Figure")) { [canvas] x, y, _ in
            let placed = strokes.map { stroke in
                stroke.filter { $0.x.isFinite && $0.y.isFinite }.map {
                    PDFPoint(x + 2 + ($0.x - left) * scale, y + 2 + ($0.y - top) * scale)
                }
            }
            canvas.stroke(placed, canvas.theme.text, thickness: 1.4)
        }
    }

    // MARK: Tables

    private func strips(_ table: PDFTable) -> [Strip] {
        let element = Element("Table")
        let shares = table.columns.reduce(0) { $0 + $1.share }
        let padding = 5.0
        func strip(_ texts: [PDFText], _ style: PDFTextStyle, tag: String) -> Strip {
            var x = 0.0
            let cells = zip(table.columns, texts).map { column, text in
                let outer = width * column.share / shares
                defer { x += outer }
                let inner = outer - 2 * padding
                return Cell(
                    x: x + padding, width: inner,
                    lines: lines(text, style.aligned(column.alignment), tag: nil, width: inner), tag: tag)
            }
            return Strip(
                cells: cells, padding: 3, hasLineBelow: true, tag: "TR", group: element, unbrokenHeight: 220)
        }
        var head = strip(
            table.columns.map(\.title),
            PDFTextStyle(size: table.size - 0.5, isBold: true, color: theme.accent, leading: 1.3), tag: "TH")
        head.ground = theme.tint
        head.keepsWithNext = true
        head.gap = 8
        var strips = [head]
        for row in table.rows {
            var next = strip(
                row.cells, PDFTextStyle(size: table.size, isBold: row.isEmphasized, leading: 1.35), tag: "TD")
            next.head = [head]
            if row.isEmphasized { next.ground = theme.tint }
            strips.append(next)
        }
        // A last row alone on a page, such as a total, would not say what it is about.
        if strips.count > 2 { strips[strips.count - 2].keepsWithNext = true }
        return strips
    }
}
