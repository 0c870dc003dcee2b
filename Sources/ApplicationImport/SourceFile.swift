import FoundationEssentials
import Glibc

/// A file that an import reads.
enum SourceFile {
    /// - Throws: why the file cannot be read, in the words of the system.
    static func check(_ path: String) throws(ApplicationImportError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw unreadable(path, EISDIR) }
    }

    static func content(of path: String) throws(ApplicationImportError) -> Data {
        try check(path)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ApplicationImportError("cannot read \(path)")
        }
        return data
    }

    private static func unreadable(_ path: String, _ code: Int32) -> ApplicationImportError {
        ApplicationImportError("cannot read \(path): \(String(cString: strerror(code)))")
    }
}
