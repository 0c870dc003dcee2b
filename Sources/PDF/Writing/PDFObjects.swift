/// The objects of a file that cairo wrote, for adding the pages of one file to another.
///
/// It reads plain cross-reference tables and follows them to the ones before (ISO 32000-1, 7.5.4 and 7.5.6). Objects are
/// rewritten as text: streams stay as they are.
struct PDFObjects {
    /// What stands between `obj` and `endobj` of a new object.
    typealias Numbered = (number: Int, content: [UInt8])

    /// The numbers in the last trailer.
    let root: Int
    let info: Int?
    let size: Int
    /// Where the last cross-reference table is.
    let table: Int
    private let bytes: [UInt8]
    private let offsets: [Int: Int]
    /// Where something begins behind an object, ascending.
    private let boundaries: [Int]

    /// Nil if the file cannot be read.
    init?(_ bytes: [UInt8]) {
        let tail = bytes.suffix(64)
        guard let start = tail.lastOffset(of: "startxref"), let last = Int(digits: bytes[(start + 9)...]) else {
            return nil
        }
        var offsets: [Int: Int] = [:]
        var boundaries: Set<Int> = []
        var newest: PDFDictionary?
        var next: Int? = last
        while let table = next {
            // A file whose tables lead in a circle is not read for ever.
            guard table > 0, table < bytes.count, boundaries.insert(table).inserted,
                let section = Section(bytes[table...])
            else { return nil }
            offsets.merge(section.offsets) { newer, _ in newer }
            boundaries.formUnion(section.offsets.values)
            newest = newest ?? section.trailer
            next = section.trailer.number(after: "/Prev")
        }
        guard let trailer = newest, let root = trailer.number(after: "/Root"),
            let size = trailer.number(after: "/Size")
        else { return nil }
        self.root = root
        self.size = size
        info = trailer.number(after: "/Info")
        table = last
        self.bytes = bytes
        self.offsets = offsets
        self.boundaries = boundaries.sorted()
    }

    /// The numbers of all objects, ascending.
    var numbers: [Int] { offsets.keys.sorted() }

    /// What stands between `obj` and `endobj`; nil if there is no such object.
    func content(of number: Int) -> ArraySlice<UInt8>? {
        guard let offset = offsets[number], offset < bytes.count else { return nil }
        let end = boundaries.first { $0 > offset } ?? bytes.count
        let object = bytes[offset..<min(end, bytes.count)]
        let header = Array("\(number) 0 obj".utf8)
        guard object.starts(with: header), let close = object.lastOffset(of: "endobj") else { return nil }
        return object[(offset + header.count)..<close]
    }

    /// An object without a stream, as text.
    func dictionary(_ number: Int) -> PDFDictionary? {
        content(of: number).map { PDFDictionary(String(decoding: $0, as: UTF8.self)) }
    }

    /// A cross-reference table and its trailer.
    private struct Section {
        var offsets: [Int: Int] = [:]
        let trailer: PDFDictionary

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.starts(with: Array("xref".utf8)) else { return nil }
            var rest = bytes.dropFirst(4).drop { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
            while let first = Int(digits: rest), rest.first.map({ (0x30...0x39).contains($0) }) == true {
                let line = rest.prefix { $0 != 0x0A }
                let words = line.split(separator: 0x20)
                guard words.count == 2, let count = Int(digits: words[1]), count >= 0 else { return nil }
                rest = rest.dropFirst(line.count + 1)
                guard count <= rest.count / 20 else { return nil }
                for index in 0..<count {
                    let entry = rest.prefix(20)
                    if entry[entry.startIndex + 17] == UInt8(ascii: "n"), let offset = Int(digits: entry) {
                        offsets[first + index] = offset
                    }
                    rest = rest.dropFirst(20)
                }
            }
            guard rest.starts(with: Array("trailer".utf8)) else { return nil }
            let end = rest.firstOffset(of: "startxref") ?? rest.endIndex
            trailer = PDFDictionary(String(decoding: rest[..<end], as: UTF8.self))
        }
    }
}
