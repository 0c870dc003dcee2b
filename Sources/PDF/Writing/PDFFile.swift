/// The bytes of a file that cairo wrote, as far as they must be read to add to them.
///
/// Additions are incremental updates (ISO 32000-1, 7.5.6): the first bytes of the new file are those of the old one.
struct PDFFile {
    private let bytes: [UInt8]
    /// Where the cross-reference table is.
    private let table: Int
    /// What follows the table, from `trailer` on.
    private let trailer: String

    /// Nil if the file has no plain cross-reference table.
    init?(_ bytes: [UInt8]) {
        let tail = bytes.suffix(64)
        guard let start = tail.lastOffset(of: "startxref"),
            let table = Int(digits: bytes[(start + 9)...]), table > 0, table < start,
            bytes[table...].starts(with: Array("xref".utf8)),
            let trailer = bytes[..<start].lastOffset(of: "trailer"), trailer > table
        else { return nil }
        self.bytes = bytes
        self.table = table
        self.trailer = String(decoding: bytes[trailer..<start], as: UTF8.self)
    }

    /// The file with its language, the mark that it is tagged, the wish that a window shows its title, and its room for an
    /// appendix. Cairo writes none of them before version 1.18.
    ///
    /// A file that cannot be read is returned as it is: it is a valid document without them.
    static func labelled(_ bytes: [UInt8], language: String, places: [PDFPlace]) -> [UInt8] {
        guard let file = PDFFile(bytes), let root = file.number(after: "/Root"), let size = file.number(after: "/Size"),
            let catalog = file.object(root)
        else { return bytes }
        let tag = language.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        var entries = ""
        for (name, value) in [
            ("/Lang", "(\(tag))"), ("/MarkInfo", "<< /Marked true >>"),
            ("/ViewerPreferences", "<< /DisplayDocTitle true >>"),
        ] where !catalog.contains(name) {
            entries += "   \(name) \(value)\n"
        }
        if !places.isEmpty { entries += "   \(PDFPlace.entry(of: places))\n" }
        guard !entries.isEmpty, let open = catalog.firstRange(of: "<<") else { return bytes }
        let changed = catalog[..<open.upperBound] + "\n" + entries + catalog[open.upperBound...]
        return file.updated(root, String(changed), size: size)
    }

    /// The file with a new version of one object.
    private func updated(_ number: Int, _ object: String, size: Int) -> [UInt8] {
        var update = bytes.last == 0x0A ? bytes : bytes + [0x0A]
        let offset = String(update.count)
        update += Array(object.utf8) + [0x0A]
        let start = update.count
        let padded = String(repeating: "0", count: 10 - offset.count) + offset
        let info = self.number(after: "/Info").map { " /Info \($0) 0 R" } ?? ""
        update += Array(
            """
            xref
            \(number) 1
            \(padded) 00000 n\u{20}
            trailer
            << /Size \(size) /Root \(number) 0 R\(info) /Prev \(table) >>
            startxref
            \(start)
            %%EOF

            """.utf8)
        return update
    }

    /// The number after a name in the trailer: a count, or that of an object.
    private func number(after name: String) -> Int? {
        guard let range = trailer.firstRange(of: name) else { return nil }
        return Int(digits: Array(trailer[range.upperBound...].utf8)[...])
    }

    /// An object without a stream, from its number to `endobj`.
    private func object(_ number: Int) -> String? {
        // Cairo's table has one section, from object 0 on, of lines of 20 bytes.
        guard let header = bytes[table...].dropFirst(5).firstIndex(of: 0x0A) else { return nil }
        let entry = header + 1 + 20 * number
        guard entry + 20 <= bytes.count, let offset = Int(digits: bytes[entry..<entry + 10]), offset < table,
            bytes[offset...].starts(with: Array("\(number) 0 obj".utf8)),
            let end = bytes[offset..<table].firstOffset(of: "endobj")
        else { return nil }
        return String(decoding: bytes[offset..<end + 6], as: UTF8.self)
    }
}
