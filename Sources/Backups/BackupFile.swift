import Crypto
import FoundationEssentials
import Glibc

/// A file with a backup: an archive in pg_dump's custom format, then the manifest as JSON, then a last line with a checksum of both.
///
/// `pg_restore` reads the file as it is, because it takes no notice of what follows the archive.
///
/// ```
/// PGDMP…{"takenAt":"…",…}
/// learntrack-backup-1 00000000000001665727 <SHA-256>
/// ```
///
/// The number is that of the bytes before the manifest.
package struct BackupFile: Sendable {
    package let path: String
    package let manifest: BackupManifest

    private static let mark = "\nlearntrack-backup-1 "
    /// The last line with the line feed before it: mark, position, checksum.
    private static let endLength = mark.utf8.count + 20 + 1 + 64 + 1
    private static let archiveMark = Array("PGDMP".utf8)
    private static let chunk = 1 << 20

    // MARK: Writing

    /// Makes a backup of an archive: appends manifest and checksum, and returns when the disk has the file.
    static func seal(_ path: String, _ manifest: BackupManifest) throws(BackupError) {
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
        let end = Self.mark + position + " " + hex(hash.finalize()) + "\n"
        var rest = (Array(json) + Array(end.utf8))[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw BackupError("cannot write \(path): \(reason(errno))") }
            rest = rest.dropFirst(max(0, count))
        }
        guard fsync(file) == 0 else { throw BackupError("cannot write \(path): \(reason(errno))") }
    }

    // MARK: Reading

    /// Reads the manifest of a backup, after all bytes of the file have been compared with its checksum.
    package init(verifying path: String) throws(BackupError) {
        let file = try Self.open(path, O_RDONLY)
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw BackupError("\(path) is not a file")
        }
        var head: [UInt8] = []
        try Self.read(file, upTo: Self.archiveMark.count) { head += $0 }
        guard head == Self.archiveMark else { throw BackupError("\(path) is not a backup") }
        let size = Int(status.st_size)
        let end = try Self.bytes(file, from: max(0, size - Self.endLength), count: Self.endLength)
        guard let (position, checksum) = Self.parse(end), position <= size - Self.endLength else {
            throw BackupError(
                "\(path) does not end as a backup does: it was cut off, or pg_dump has made it, and pg_restore restores it"
            )
        }
        var hash = SHA256()
        guard lseek(file, 0, SEEK_SET) == 0 else { throw BackupError("cannot read \(path): \(Self.reason(errno))") }
        try Self.read(file, upTo: size - Self.endLength) { hash.update(data: $0) }
        hash.update(data: Array(Self.padded(position).utf8))
        guard Self.hex(hash.finalize()) == checksum else {
            throw BackupError("\(path) is damaged: its checksum is another one")
        }
        let json = try Self.bytes(file, from: position, count: size - Self.endLength - position)
        guard let manifest = try? JSONDecoder().decode(BackupManifest.self, from: Data(json)) else {
            throw BackupError("\(path) was made by another version of this program, which must restore it")
        }
        self.path = path
        self.manifest = manifest
    }

    private static func parse(_ end: [UInt8]) -> (position: Int, checksum: String)? {
        let text = String(decoding: end, as: UTF8.self)
        guard end.count == endLength, text.hasPrefix(mark), text.hasSuffix("\n") else { return nil }
        let parts = text.dropFirst(mark.count).dropLast().split(separator: " ")
        guard parts.count == 2, let position = Int(parts[0]), position >= 0 else { return nil }
        return (position, String(parts[1]))
    }

    // MARK: Bytes

    private static func open(_ path: String, _ mode: Int32) throws(BackupError) -> Int32 {
        let file = Glibc.open(path, mode | O_CLOEXEC)
        guard file >= 0 else { throw BackupError("cannot open \(path): \(reason(errno))") }
        return file
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
            guard count >= 0 else { throw BackupError("cannot read the backup: \(reason(errno))") }
            guard count > 0 else { break }
            body(count == chunk ? buffer : Array(buffer[..<count]))
            total += count
        }
        return total
    }

    private static func bytes(_ file: Int32, from position: Int, count: Int) throws(BackupError) -> [UInt8] {
        guard lseek(file, off_t(position), SEEK_SET) >= 0 else {
            throw BackupError("cannot read the backup: \(reason(errno))")
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
