import Glibc

/// Reads records of CSV (RFC 4180) from a file piece by piece, so that its size does not matter.
///
/// The separator is the one that the first line has: a comma, a semicolon or a tab. A byte order mark is skipped, and so are empty
/// lines.
struct CSVReader {
    struct Field: Equatable {
        /// Nil if the bytes are not UTF-8.
        let text: String?
        let isQuoted: Bool
    }

    struct Record: Equatable {
        /// The line, from 1, on which the record begins.
        let line: Int
        let fields: [Field]
    }

    /// A record with more bytes is a mistake, such as a quotation mark that is never closed.
    static let maxRecordBytes = 16 << 20

    private let source: ByteSource
    private var separator = UInt8(ascii: ",")
    private var line = 1
    private var bytes: [UInt8] = []

    init(_ source: ByteSource) throws(TableFileError) {
        self.source = source
        try source.skipByteOrderMark()
        let first = try source.peekLine()
        let counts = [",", ";", "\t"].map { (UInt8(ascii: $0), first.count(where: Self.equals(UInt8(ascii: $0)))) }
        if let best = counts.max(by: { $0.1 < $1.1 }), best.1 > 0 { separator = best.0 }
    }

    private static func equals(_ byte: UInt8) -> (UInt8) -> Bool { { $0 == byte } }

    /// The next record; nil at the end of the file.
    mutating func next() throws(TableFileError) -> Record? {
        while let byte = try source.next() {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if byte == UInt8(ascii: "\n") { line += 1 }
                continue
            }
            return try record(from: byte)
        }
        return nil
    }

    private mutating func record(from first: UInt8) throws(TableFileError) -> Record {
        let start = line
        var fields: [Field] = []
        var size = 0
        var byte: UInt8? = first
        while true {
            let (field, end) = try field(from: byte)
            fields.append(field)
            size += bytes.count
            guard size <= Self.maxRecordBytes else { throw TableFileError("line \(start): the record is too long") }
            if end != separator { return Record(line: start, fields: fields) }
            byte = try source.next()
        }
    }

    /// Reads a field whose first byte is given.
    ///
    /// - Returns: also the byte that ends it: the separator, a line feed, or nil at the end of the file.
    private mutating func field(from first: UInt8?) throws(TableFileError) -> (Field, end: UInt8?) {
        bytes.removeAll(keepingCapacity: true)
        if first == UInt8(ascii: "\"") { return try quoted() }
        var byte = first
        while let present = byte, present != separator, present != UInt8(ascii: "\n") {
            bytes.append(present)
            guard bytes.count <= Self.maxRecordBytes else {
                throw TableFileError("line \(line): the value is too long")
            }
            byte = try source.next()
        }
        if byte != separator, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        if byte == UInt8(ascii: "\n") { line += 1 }
        return (Field(text: String(validating: bytes, as: UTF8.self), isQuoted: false), byte)
    }

    private mutating func quoted() throws(TableFileError) -> (Field, end: UInt8?) {
        let start = line
        while let byte = try source.next() {
            if byte == UInt8(ascii: "\n") { line += 1 }
            guard byte == UInt8(ascii: "\"") else {
                bytes.append(byte)
                guard bytes.count <= Self.maxRecordBytes else { break }
                continue
            }
            var after = try source.next()
            if after == UInt8(ascii: "\"") {
                bytes.append(byte)
                continue
            }
            if after == UInt8(ascii: "\r") { after = try source.next() }
            guard after == nil || after == separator || after == UInt8(ascii: "\n") else {
                throw TableFileError("line \(line): after a closing quotation mark, a separator is expected")
            }
            if after == UInt8(ascii: "\n") { line += 1 }
            return (Field(text: String(validating: bytes, as: UTF8.self), isQuoted: true), after)
        }
        throw TableFileError("line \(start): the quotation mark is not closed")
    }
}

/// The bytes of a file, read in blocks.
final class ByteSource {
    private let file: Int32
    private let path: String
    private var buffer: [UInt8] = []
    private var position = 0
    /// How many bytes have been taken.
    private(set) var taken = 0

    private static let block = 64 << 10

    /// - Parameter path: of a file; `-` for standard input.
    init(path: String) throws(TableFileError) {
        self.path = path == "-" ? "standard input" : path
        if path == "-" {
            file = dup(STDIN_FILENO)
        } else {
            file = open(path, O_RDONLY | O_CLOEXEC)
        }
        guard file >= 0 else { throw TableFileError("cannot open \(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(file) }

    func next() throws(TableFileError) -> UInt8? {
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            position = 0
            guard try fill() else { return nil }
        }
        defer { position += 1 }
        taken += 1
        return buffer[position]
    }

    func skipByteOrderMark() throws(TableFileError) {
        while buffer.count < 3, try fill() {}
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The first line, without taking it, as far as a few blocks have it.
    func peekLine() throws(TableFileError) -> ArraySlice<UInt8> {
        while buffer.count < 4 * Self.block, !buffer.contains(UInt8(ascii: "\n")), try fill() {}
        return buffer[position...].prefix { $0 != UInt8(ascii: "\n") }
    }

    /// Appends a block to the buffer.
    ///
    /// - Returns: false at the end of the file.
    private func fill() throws(TableFileError) -> Bool {
        let held = buffer.count
        while true {
            buffer.append(contentsOf: repeatElement(0, count: Self.block))
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress! + held, Self.block) }
            let code = errno
            buffer.removeLast(Self.block - max(0, count))
            if count < 0 && code == EINTR { continue }
            guard count >= 0 else { throw TableFileError("cannot read \(path): \(String(cString: strerror(code)))") }
            return count > 0
        }
    }
}

/// Why a file cannot be imported or a table not exported at all.
package struct TableFileError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }
}
