extension PDFDocument {
    /// The bytes that add the pages of this document to the end of a file that this module has written, and fill its places.
    ///
    /// They are an incremental update (ISO 32000-1, 7.5.6) that follows the bytes of the file, so that these, and their digest,
    /// stay as they are. Readers for the blind find the added pages behind the others. The numbers of the pages count on.
    ///
    /// - Parameter places: what fills the file's places of these names, each with the height that it has in points: what a stack
    ///   may contain. What is higher is reduced. The pages of the file have the size of this document's.
    public func appendix(
        to file: [UInt8], filling places: [String: (_ height: Double) -> [PDFBlock]] = [:]
    ) throws(PDFError) -> [UInt8] {
        let failure = PDFError(description: "the file, or what is added to it, is not as this module writes it")
        guard let shown = PDFObjects(file), let catalog = shown.dictionary(shown.root),
            let pages = catalog.number(after: "/Pages"), let count = shown.dictionary(pages)?.number(after: "/Count")
        else { throw failure }
        let added = PDFObjects(try written(after: count).bytes)
        let spots = PDFPlace.places(in: catalog).filter { places[$0.name] != nil && $0.page < count }
        guard var appendix = PDFAppendix(of: added, to: shown) else { throw failure }
        if !spots.isEmpty {
            let (bytes, pages) = try DrawingLibraries.inTurn { () throws(PDFError) in try overlays(spots, places) }
            guard let overlays = PDFOverlays(PDFObjects(bytes), on: pages, of: shown, from: appendix.size) else {
                throw failure
            }
            appendix.objects += overlays.objects
        }
        return appendix.bytes(behind: file)
    }

    /// A file with a page for each page that has places, and the numbers of these pages.
    private func overlays(
        _ spots: [PDFPlace], _ places: [String: (Double) -> [PDFBlock]]
    ) throws(PDFError) -> (bytes: [UInt8], pages: [Int]) {
        let canvas = try Canvas(self)
        let pages = Set(spots.map(\.page)).sorted()
        for page in pages {
            for spot in spots where spot.page == page {
                canvas.draw(places[spot.name]?(spot.height) ?? [], in: spot)
            }
            canvas.showPage()
        }
        return (try canvas.finish(), pages)
    }
}

/// The objects that add the pages of one file to another.
private struct PDFAppendix {
    /// The objects, by their numbers in the new file.
    var objects: [PDFObjects.Numbered] = []
    private let file: PDFObjects

    /// One more than the largest number of an object.
    var size: Int { max((objects.map(\.number).max() ?? 0) + 1, file.size) }

    /// Nil if either file is not as this module writes it.
    init?(of added: PDFObjects?, to file: PDFObjects?) {
        guard let added, let file, let catalog = file.dictionary(file.root), let other = added.dictionary(added.root),
            let pages = catalog.number(after: "/Pages"), let otherPages = other.number(after: "/Pages"),
            var list = file.dictionary(pages), let otherList = added.dictionary(otherPages),
            let count = list.number(after: "/Count"), let otherCount = otherList.number(after: "/Count"),
            let kids = otherList.array(after: "/Kids").map(PDFReferences.numbers), kids.count == otherCount,
            let trees = Trees(file, catalog, added, other)
        else { return nil }
        self.file = file
        let offset = file.size
        // What both files have one of is that of the file; everything else gets a number behind those of the file.
        let shared = [otherPages: pages, trees.otherRoot: trees.root]
        var dropped: Set = [added.root, otherPages, trees.otherRoot, trees.otherParents]
        if let info = added.info { dropped.insert(info) }
        func renumbered(_ number: Int) -> Int { shared[number] ?? number + offset }
        func references(_ numbers: [Int]) -> String {
            numbers.map { "\(renumbered($0)) 0 R" }.joined(separator: " ")
        }
        for number in added.numbers where !dropped.contains(number) {
            guard var content = added.content(of: number) else { return nil }
            if kids.contains(number) {
                var dictionary = PDFDictionary(String(decoding: content, as: UTF8.self))
                guard let key = dictionary.number(after: "/StructParents") else { return nil }
                dictionary.set(key + trees.nextKey, after: "/StructParents")
                content = Array(dictionary.text.utf8)[...]
            }
            objects.append((number + offset, PDFReferences.renumber(content, renumbered)))
        }
        list.append(references(kids), after: "/Kids")
        list.set(count + otherCount, after: "/Count")
        objects.append((pages, Array(list.text.utf8)))
        var tree = trees.tree
        tree.append(references(trees.otherElements), after: "/K")
        objects.append((trees.root, Array(tree.text.utf8)))
        var parents = trees.parentTree
        let entries = trees.otherEntries.map { "\($0.key + trees.nextKey) \(renumbered($0.object)) 0 R" }
        parents.append(entries.joined(separator: " "), after: "/Nums")
        objects.append((trees.parents, Array(parents.text.utf8)))
    }

    /// The structure trees of both files, by which readers for the blind read their pages.
    private struct Trees {
        let root: Int
        let tree: PDFDictionary
        let parents: Int
        let parentTree: PDFDictionary
        let nextKey: Int
        let otherRoot: Int
        let otherParents: Int
        let otherElements: [Int]
        let otherEntries: [(key: Int, object: Int)]

        init?(_ file: PDFObjects, _ catalog: PDFDictionary, _ added: PDFObjects, _ other: PDFDictionary) {
            guard let root = catalog.number(after: "/StructTreeRoot"), let tree = file.dictionary(root),
                let parents = tree.number(after: "/ParentTree"), let parentTree = file.dictionary(parents),
                let entries = parentTree.array(after: "/Nums").map(Self.entries),
                let otherRoot = other.number(after: "/StructTreeRoot"), let otherTree = added.dictionary(otherRoot),
                let otherParents = otherTree.number(after: "/ParentTree"),
                let otherParentTree = added.dictionary(otherParents),
                let otherEntries = otherParentTree.array(after: "/Nums").map(Self.entries),
                let otherElements = otherTree.array(after: "/K").map(PDFReferences.numbers)
            else { return nil }
            self.root = root
            self.tree = tree
            self.parents = parents
            self.parentTree = parentTree
            nextKey = (entries.map(\.key).max() ?? -1) + 1
            self.otherRoot = otherRoot
            self.otherParents = otherParents
            self.otherElements = otherElements
            self.otherEntries = otherEntries
        }

        /// `0 35 0 R 1 42 0 R`: keys with the objects that they stand for.
        private static func entries(_ text: Substring) -> [(key: Int, object: Int)] {
            let words = text.split(whereSeparator: \.isWhitespace)
            return stride(from: 0, to: words.count - 3, by: 4).compactMap { index in
                guard let key = Int(words[index]), let object = Int(words[index + 1]) else { return nil }
                return (key, object)
            }
        }
    }

    /// The objects, their cross-reference table and the trailer, as they follow the bytes of the file.
    func bytes(behind bytes: [UInt8]) -> [UInt8] {
        var update: [UInt8] = bytes.last == 0x0A ? [] : [0x0A]
        var lines = ""
        for (number, content) in objects.sorted(by: { $0.number < $1.number }) {
            let offset = String(bytes.count + update.count)
            lines += "\(number) 1\n\(String(repeating: "0", count: max(0, 10 - offset.count)))\(offset) 00000 n \n"
            update += Array("\(number) 0 obj".utf8) + content + Array("endobj\n".utf8)
        }
        let start = bytes.count + update.count
        let info = file.info.map { " /Info \($0) 0 R" } ?? ""
        update += Array(
            """
            xref
            \(lines)trailer
            << /Size \(size) /Root \(file.root) 0 R\(info) /Prev \(file.table) >>
            startxref
            \(start)
            %%EOF

            """.utf8)
        return update
    }
}
