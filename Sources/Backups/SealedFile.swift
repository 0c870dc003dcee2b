import Crypto
import FoundationEssentials
import Glibc

/// A file that says at its end what it is, and shows whether it is whole: content of any kind, then a manifest as JSON, then a last
/// line with a checksum of both.
///
/// ```
/// …{"takenAt":"…",…}
/// learntrack-backup-1 00000000000001665727 <SHA-256>
/// ```
///
/// The number is that of the bytes before the manifest. A program that reads the content alone takes no notice of what follows it.
struct SealedFile: Sendable {
    /// What tells files of one kind from others.
    struct Kind: Sendable {
        /// With its article, for messages: `a backup`.
        let name: String
        /// The content begins with it.
        let head: String
        /// The last line begins with it. It has a number, for changes of the format.
        let mark: String
        /// Why a file of this content may have no such end, beside that it was cut off; empty: for no other reason.
        var otherwise = ""

        fileprivate var lineMark: String { "\n\(mark) " }
        /// The last line with the line feed before it: mark, position, checksum.
        fileprivate var endLength: Int { lineMark.utf8.count + 20 + 1 + 64 + 1 }
    }

    let path: String
    /// The number of bytes before the manifest.
    let contentLength: Int
    private let manifest: Data

    private static let chunk = 1 << 20

    // MARK: Writing

    /// Appends manifest and checksum to a file that has the content, and returns when the disk has all of it.
    static func seal(_ path: String, as kind: Kind, _ manifest: some Encodable) throws(BackupError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(manifest) else { throw BackupError("the manifest cannot be written") }
        let file = try open(path, O_RDWR | O_APPEND)
        defer { close(file) }
        var hash = SHA256()
        let length = try read(file, upTo: .max) { hash.update(data: $0) }
        let position = padded(length)
        hash.update(data: json)
        hash.update(data: Array(position.utf8))
        let end = kind.lineMark + position + " " + hex(hash.finalize()) + "\n"
        try write(Array(json) + Array(end.utf8), to: file, path)
        guard fsync(file) == 0 else { throw BackupError("cannot write \(path): \(reason(errno))") }
    }

    // MARK: Reading

    /// Compares all bytes of a file with its checksum.
    init(verifying path: String, as kind: Kind) throws(BackupError) {
        let file = try Self.open(path, O_RDONLY)
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw BackupError("\(path) is not a file")
        }
        var head: [UInt8] = []
        try Self.read(file, upTo: kind.head.utf8.count) { head += $0 }
        guard head == Array(kind.head.utf8) else { throw BackupError("\(path) is not \(kind.name)") }
        let size = Int(status.st_size)
        let end = try Self.bytes(file, from: max(0, size - kind.endLength), count: kind.endLength)
        guard let (position, checksum) = Self.parse(end, of: kind), position <= size - kind.endLength else {
            throw BackupError(
                "\(path) does not end as \(kind.name) does: it was cut off\(kind.otherwise)")
        }
        var hash = SHA256()
        guard lseek(file, 0, SEEK_SET) == 0 else { throw BackupError("cannot read \(path): \(Self.reason(errno))") }
        try Self.read(file, upTo: size - kind.endLength) { hash.update(data: $0) }
        hash.update(data: Array(Self.padded(position).utf8))
        guard Self.hex(hash.finalize()) == checksum else {
            throw BackupError("\(path) is damaged: its checksum is another one")
        }
        self.path = path
        contentLength = position
        manifest = Data(try Self.bytes(file, from: position, count: size - kind.endLength - position))
    }

    /// What the file says about itself.
    func manifest<Manifest: Decodable>(_: Manifest.Type) throws(BackupError) -> Manifest {
        guard let read = try? JSONDecoder().decode(Manifest.self, from: manifest) else {
            throw BackupError("\(path) was made by another version of this program, which must read it")
        }
        return read
    }

    private static func parse(_ end: [UInt8], of kind: Kind) -> (position: Int, checksum: String)? {
        let text = String(decoding: end, as: UTF8.self)
        guard end.count == kind.endLength, text.hasPrefix(kind.lineMark), text.hasSuffix("\n") else { return nil }
        let parts = text.dropFirst(kind.lineMark.count).dropLast().split(separator: " ")
        guard parts.count == 2, let position = Int(parts[0]), position >= 0 else { return nil }
        return (position, String(parts[1]))
    }

    // MARK: Bytes

    static func open(_ path: String, _ mode: Int32) throws(BackupError) -> Int32 {
        let file = Glibc.open(path, mode | O_CLOEXEC)
        guard file >= 0 else { throw BackupError("cannot open \(path): \(reason(errno))") }
        return file
    }

    static func write(_ bytes: [UInt8], to file: Int32, _ path: String) throws(BackupError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw BackupError("cannot write \(path): \(reason(errno))") }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Hands the next bytes of a file to `body`, piece by piece.
    ///
    /// - Returns: their number.
    @discardableResult
    private static func read(
        _ file: Int32, upTo limit: Int, _ body: ([UInt8]) -> Void
    ) throws(BackupError) -> Int {
        var total = 0
        var buffer = [UInt8](repeating: 0, count: chunk)
        while total < limit {
            let count = Glibc.read(file, &buffer, min(chunk, limit - total))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw BackupError("cannot read the file: \(reason(errno))") }
            guard count > 0 else { break }
            body(count == chunk ? buffer : Array(buffer[..<count]))
            total += count
        }
        return total
    }

    /// The bytes at a position; fewer at the end of the file.
    static func bytes(_ file: Int32, from position: Int, count: Int) throws(BackupError) -> [UInt8] {
        guard lseek(file, off_t(position), SEEK_SET) >= 0 else {
            throw BackupError("cannot read the file: \(reason(errno))")
        }
        var bytes: [UInt8] = []
        try read(file, upTo: count) { bytes += $0 }
        return bytes
    }

    private static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }

    private static func hex(_ digest: SHA256.Digest) -> String {
        digest.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
