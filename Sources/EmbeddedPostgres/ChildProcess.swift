import Foundation
import Glibc

/// Starting other programs and waiting for them.
enum ChildProcess {
    struct Result: Sendable {
        /// The exit status, or 128 + the signal that ended it, as shells have it.
        let status: Int32
        /// What it wrote, to either output.
        let output: String
    }

    /// Runs `executable` to its end.
    ///
    /// Input and output are files rather than pipes: nothing has to be pumped meanwhile, and a daemon that keeps the
    /// output open cannot keep the caller waiting.
    static func run(_ executable: String, _ arguments: [String], input: String = "") async throws -> Result {
        let stdin = try UnnamedFile(content: input)
        let output = try UnnamedFile()
        let pid = try spawn(
            executable, arguments, stdin: stdin.descriptor, stdout: output.descriptor, stderr: output.descriptor)
        let status = await end(of: pid)
        return try Result(status: status, output: output.text())
    }

    /// Starts `executable` with these three descriptors and no other, in a process group of its own: an interrupt
    /// typed at the terminal is for the server, which stops what it started in the right order.
    static func spawn(
        _ executable: String, _ arguments: [String], stdin: Int32, stdout: Int32, stderr: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, stdin, 0)
        posix_spawn_file_actions_adddup2(&actions, stdout, 1)
        posix_spawn_file_actions_adddup2(&actions, stderr, 2)
        for descriptor in try inheritableDescriptors() { posix_spawn_file_actions_addclose(&actions, descriptor) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        // Nothing else: PGHOST and its like would lead the programs to some other server, and secrets are not theirs.
        let environment = ProcessInfo.processInfo.environment.filter { ["PATH", "TZ", "TMPDIR"].contains($0.key) }
            .merging(["LC_ALL": "C.UTF-8"]) { $1 }
        // Postgres's programs want a working directory that their account may enter.
        let shell = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh", executable]
        var pid: pid_t = 0
        let code = withCStrings(shell + arguments) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw EmbeddedPostgresError.system("cannot start \(executable)", code) }
        return pid
    }

    /// Waits for a child on a thread of its own: there are few, and they live long.
    static func end(of pid: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7f
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xff : 128 + signal)
            }
        }
    }

    private static func inheritableDescriptors() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { $0 > 2 && fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
    }

    private static func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// A file in /tmp without a name, gone when closed.
private final class UnnamedFile {
    let descriptor: Int32

    init(content: String = "") throws {
        let path = "/tmp/learntrack-io-" + String(UInt64.random(in: .min ... .max), radix: 36)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw EmbeddedPostgresError.system("cannot write in /tmp", errno) }
        unlink(path)
        try writeAll(Array(content.utf8), to: descriptor)
        lseek(descriptor, 0, SEEK_SET)
    }

    func text() throws -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw EmbeddedPostgresError.system("cannot read a temporary file", errno) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    deinit { close(descriptor) }
}

/// Writes all of `bytes`, however many calls that takes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { throw EmbeddedPostgresError.system("cannot write a file", errno) }
        rest = rest.dropFirst(written)
    }
}

func systemMessage(_ code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 256)
    _ = strerror_r(code, &text, text.count)
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
}
