import ChildProcesses
import Foundation
import Glibc

extension DataDirectory {
    /// The secret that signs access tokens when none is given: made once, kept with the data, readable by the owner
    /// alone. 64 hexadecimal digits of 256 random bits.
    package func serverSecret() throws -> String {
        if let content = FileManager.default.contents(atPath: secret) {
            let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard text.utf8.count >= 32 else {
                throw EmbeddedPostgresError("the secret in \(secret) is too short: delete the file to get a new one")
            }
            guard chmod(secret, 0o600) == 0 else {
                throw EmbeddedPostgresError.system("cannot protect \(secret)", errno)
            }
            return text
        }
        guard access(secret, F_OK) != 0 else { throw EmbeddedPostgresError("cannot read \(secret)") }
        var random = SystemRandomNumberGenerator()
        let text = (0..<4).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        // Under another name first: whoever reads the secret reads all of it.
        let new = secret + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw EmbeddedPostgresError.system("cannot write \(new)", errno) }
        defer { close(descriptor) }
        try writeAll(Array((text + "\n").utf8), to: descriptor)
        guard fsync(descriptor) == 0, rename(new, secret) == 0 else {
            throw EmbeddedPostgresError.system("cannot write \(secret)", errno)
        }
        return text
    }
}
