import Glibc

/// A file with a company: a line that says so, the rows of each table as COPY writes them, one table after the other, sealed with a
/// manifest that says where each begins.
package struct CompanyFile: Sendable {
    package let path: String
    package let manifest: CompanyManifest

    /// The first line of the file.
    static let head = "learntrack-company-1\n"
    private static let kind = SealedFile.Kind(
        name: "a file that 'companies export' has written", head: head, mark: "learntrack-company-1")

    /// Appends manifest and checksum to a file that has the rows, and returns when the disk has all of it.
    static func seal(_ path: String, _ manifest: CompanyManifest) throws(BackupError) {
        try SealedFile.seal(path, as: kind, manifest)
    }

    /// Reads the manifest of a file, after all its bytes have been compared with its checksum.
    package init(verifying path: String) throws(BackupError) {
        let file = try SealedFile(verifying: path, as: Self.kind)
        manifest = try file.manifest(CompanyManifest.self)
        self.path = path
    }

    /// The rows of a table, piece by piece.
    func rows(of table: CompanyManifest.Table) throws(BackupError) -> CompanyRows {
        CompanyRows(
            file: try OpenFile(path), position: table.position, end: table.position + table.length)
    }
}

/// A part of a file as an asynchronous sequence of pieces, for COPY. It opens the file once.
struct CompanyRows: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    fileprivate let file: OpenFile
    fileprivate let position: Int
    fileprivate let end: Int

    func makeAsyncIterator() -> Iterator { Iterator(file: file, position: position, end: end) }

    struct Iterator: AsyncIteratorProtocol {
        private static let chunk = 1 << 17

        fileprivate let file: OpenFile
        fileprivate var position: Int
        fileprivate let end: Int

        mutating func next() async throws -> [UInt8]? {
            guard position < end else { return nil }
            let bytes = try SealedFile.bytes(
                file.descriptor, from: position, count: Swift.min(Self.chunk, end - position))
            guard !bytes.isEmpty else { throw BackupError("the file has become shorter while it was read") }
            position += bytes.count
            return bytes
        }
    }
}

/// A file that is closed when it is not read any more.
private final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ path: String) throws(BackupError) { descriptor = try SealedFile.open(path, O_RDONLY) }

    deinit { close(descriptor) }
}
