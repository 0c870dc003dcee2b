import ChildProcesses
import Foundation
import Glibc

/// One process at a time may run Postgres on a data directory.
///
/// The kernel holds the lock for the process and lets go of it whatever the process dies of, so that there is no such
/// thing as a stale one. The file's text only says who holds it.
final class DataLock: Sendable {
    private let descriptor: Int32

    enum Attempt {
        case acquired(DataLock)
        case held(by: Holder?)
    }

    struct Holder: Equatable, Sendable {
        let purpose: EmbeddedPostgres.Purpose
        let process: pid_t
    }

    static func attempt(_ path: String, for purpose: EmbeddedPostgres.Purpose) throws -> Attempt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw EmbeddedPostgresError.system("cannot open \(path)", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw EmbeddedPostgresError.system("cannot lock \(path)", code) }
            return .held(by: holder(path))
        }
        let lock = DataLock(descriptor)
        guard ftruncate(descriptor, 0) == 0 else { throw EmbeddedPostgresError.system("cannot write \(path)", errno) }
        try writeAll(Array("\(purpose.rawValue) \(getpid())\n".utf8), to: descriptor)
        return .acquired(lock)
    }

    /// Who says to hold the lock; nil while that is being written.
    private static func holder(_ path: String) -> Holder? {
        let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let purpose = EmbeddedPostgres.Purpose(rawValue: String(words[0])),
            let process = pid_t(words[1])
        else { return nil }
        return Holder(purpose: purpose, process: process)
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
