import Foundation
package import Glibc

/// A program run to its end, with what it wrote.
package struct ChildProcess: Sendable {
    /// The exit status, or 128 + the signal that ended it, as shells have it.
    package let status: Int32
    package let output: String
    package let errors: String

    /// Runs `executable` to its end without blocking a thread that others need.
    ///
    /// Input and output are files rather than pipes: nothing has to be pumped meanwhile, and a daemon that keeps the
    /// output open cannot keep the caller waiting.
    package static func run(
        _ executable: String, _ arguments: [String], input: String = "", environment: [String: String]
    ) async throws -> ChildProcess {
        let stdin = try UnnamedFile(content: input)
        let stdout = try UnnamedFile()
        let stderr = try UnnamedFile()
        let pid = try spawn(
            executable, arguments, stdin: stdin.descriptor, stdout: stdout.descriptor, stderr: stderr.descriptor,
            environment: environment)
        let status = await end(of: pid)
        return try ChildProcess(status: status, output: stdout.text(), errors: stderr.text())
    }

    /// Starts `executable` with these three descriptors and no other, in a process group of its own: an interrupt
    /// typed at the terminal is for the parent, which stops what it started in the right order.
    package static func spawn(
        _ executable: String, _ arguments: [String], stdin: Int32, stdout: Int32, stderr: Int32,
        environment: [String: String]
    ) throws(SystemCallError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, stdin, 0)
        posix_spawn_file_actions_adddup2(&actions, stdout, 1)
        posix_spawn_file_actions_adddup2(&actions, stderr, 2)
        for descriptor in inheritableDescriptors() { posix_spawn_file_actions_addclose(&actions, descriptor) }

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

        // From a working directory that the system user postgres may enter too.
        let shell = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh", executable]
        var pid: pid_t = 0
        let code = withCStrings(shell + arguments) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemCallError("cannot start \(executable)", code) }
        return pid
    }

    /// Waits for a child on a thread of its own: there are few, and they live long.
    package static func end(of pid: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7f
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xff : 128 + signal)
            }
        }
    }

    /// What was opened without close-on-exec, by whichever library.
    private static func inheritableDescriptors() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { $0 > 2 && fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
    }

    private static func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
