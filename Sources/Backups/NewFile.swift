import Glibc

/// Writes files that are there as a whole or not at all.
enum NewFile {
    /// Hands `body` a temporary name beside that of the file, and gives the file its own name when `body` returns. What others have
    /// left there that were killed goes.
    ///
    /// - Parameters:
    ///   - path: of the file, absolute.
    ///   - overwriting: whether a file there is replaced.
    ///   - body: writes the file, which is there, empty, and for its owner alone to read.
    /// - Returns: what `body` returns, and the size of the file in bytes.
    static func write<Described: Sendable>(
        to path: String, overwriting: Bool, _ body: (_ part: String) async throws -> Described
    ) async throws -> (described: Described, size: Int) {
        func checkPlace() throws(BackupError) {
            guard !overwriting, access(path, F_OK) == 0 else { return }
            throw BackupError("\(path) exists: choose another name, or give --overwrite to replace it")
        }
        try checkPlace()
        Leftovers.remove(startingWith: path + ".part-")
        let part = path + ".part-\(getpid())"
        let file = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BackupError("cannot write \(part): \(SealedFile.reason(errno))") }
        close(file)
        do {
            let described = try await body(part)
            // It may have come meanwhile.
            try checkPlace()
            var status = stat()
            guard stat(part, &status) == 0, rename(part, path) == 0 else {
                throw BackupError("cannot write \(path): \(SealedFile.reason(errno))")
            }
            return (described, Int(status.st_size))
        } catch {
            unlink(part)
            throw error
        }
    }
}
