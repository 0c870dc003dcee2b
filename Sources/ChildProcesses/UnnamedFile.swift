import Glibc

/// A file in /tmp without a name, gone when closed.
final class UnnamedFile {
    let descriptor: Int32

    init(content: String = "") throws(SystemCallError) {
        let path = "/tmp/learntrack-io-" + String(UInt64.random(in: .min ... .max), radix: 36)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("cannot write in /tmp", errno) }
        unlink(path)
        try writeAll(Array(content.utf8), to: descriptor)
        lseek(descriptor, 0, SEEK_SET)
    }

    func text() throws(SystemCallError) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw SystemCallError("cannot read a temporary file", errno) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    deinit { close(descriptor) }
}

/// Writes all of `bytes`, however many calls that takes.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemCallError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { throw SystemCallError("cannot write a file", errno) }
        rest = rest.dropFirst(written)
    }
}
