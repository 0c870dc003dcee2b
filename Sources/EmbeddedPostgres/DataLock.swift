import FoundationEssentials
import Glibc
import SystemPackage

/// An advisory lock on a data directory: one process at a time may run Postgres there.
///
/// The kernel releases the lock when the process ends, however it ends, so a lock cannot be stale. The text of the file
/// only says which process holds it.
final class DataLock: Sendable {
    private let file: FileDescriptor

    enum Attempt {
        case acquired(DataLock)
        /// Held by another process; nil while that process is still writing its name.
        case held(by: Holder?)
    }

    struct Holder: Equatable, Sendable {
        let purpose: EmbeddedPostgres.Purpose
        let process: pid_t
    }

    static func attempt(_ path: String, for purpose: EmbeddedPostgres.Purpose) throws -> Attempt {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
            // Closes the file whenever it goes.
            let lock = DataLock(file)
            guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw Errno(rawValue: errno) }
                return .held(by: holder(path))
            }
            guard ftruncate(file.rawValue, 0) == 0 else { throw Errno(rawValue: errno) }
            try file.writeAll("\(purpose.rawValue) \(getpid())\n".utf8)
            return .acquired(lock)
        } catch let error as Errno {
            throw EmbeddedPostgresError.system("cannot lock \(path)", error.rawValue)
        }
    }

    private static func holder(_ path: String) -> Holder? {
        let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let purpose = EmbeddedPostgres.Purpose(rawValue: String(words[0])),
            let process = pid_t(words[1])
        else { return nil }
        return Holder(purpose: purpose, process: process)
    }

    private init(_ file: FileDescriptor) { self.file = file }

    deinit { close(file.rawValue) }
}
