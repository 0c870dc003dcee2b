/// The objects that draw the pages of one file over pages of another: each is a form (ISO 32000-1, 8.10) that its page draws last.
struct PDFOverlays {
    private(set) var objects: [PDFObjects.Numbered] = []

    /// - Parameters:
    ///   - overlays: has a page for each of `pages`, in their order.
    ///   - pages: numbers of pages of the file, from 0.
    ///   - start: the first number that an object may have.
    /// - Returns: nil if either file is not as this module writes it.
    init?(_ overlays: PDFObjects?, on pages: [Int], of file: PDFObjects, from start: Int) {
        guard let overlays, let forms = overlays.pages, let shown = file.pages, forms.count == pages.count,
            let list = overlays.list
        else { return nil }
        var next = start + overlays.size
        func add(_ content: String) -> Int {
            objects.append((next, Array("\n\(content)\n".utf8)))
            next += 1
            return next - 1
        }
        func renumbered(_ number: Int) -> Int { number + start }
        var dropped = Set(forms + [overlays.root, list])
        if let info = overlays.info { dropped.insert(info) }
        var drawn: [Int: String] = [:]
        for (form, page) in zip(forms, pages) {
            guard page < shown.count, let drawing = overlays.dictionary(form), var over = file.dictionary(shown[page]),
                let content = drawing.number(after: "/Contents"), let box = drawing.array(after: "/MediaBox"),
                let used = drawing.number(after: "/Resources"), let under = over.number(after: "/Contents"),
                let resources = over.number(after: "/Resources"), var named = file.dictionary(resources)
            else { return nil }
            drawn[content] =
                " /Type /XObject /Subtype /Form /BBox [\(box)] /Resources \(renumbered(used)) 0 R"
            named.append("/Overlay \(renumbered(content)) 0 R", toDictionary: "/XObject")
            // What the page draws may leave its own scale behind.
            let (before, after) = (add(Self.stream("q")), add(Self.stream("Q q /Overlay Do Q")))
            over.replaceReference(
                under, after: "/Contents", with: "[ \(before) 0 R \(under) 0 R \(after) 0 R ]")
            over.set(add(named.text), after: "/Resources")
            objects.append((shown[page], Array(over.text.utf8)))
        }
        for number in overlays.numbers where !dropped.contains(number) {
            guard let content = overlays.content(of: number) else { return nil }
            var object = PDFReferences.renumber(content, renumbered)
            if let entries = drawn[number] {
                guard let open = object[...].firstOffset(of: "<<") else { return nil }
                object.insert(contentsOf: entries.utf8, at: open + 2)
            }
            objects.append((renumbered(number), object))
        }
    }

    private static func stream(_ text: String) -> String {
        "<< /Length \(text.utf8.count) >>\nstream\n\(text)\nendstream"
    }
}

extension PDFObjects {
    /// The number of the list of pages.
    fileprivate var list: Int? { dictionary(root)?.number(after: "/Pages") }

    /// The numbers of the pages, in their order.
    fileprivate var pages: [Int]? {
        list.flatMap(dictionary)?.array(after: "/Kids").map(PDFReferences.numbers)
    }
}
