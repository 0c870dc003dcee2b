import Glibc

/// A shell process that outlives the tests by a moment: when this process ends, however it ends, it cleans up.
///
/// It reads from a socket whose other end this process alone holds, so that the kernel tells it of every kind of end.
final class Watchdog: Sendable {
    private let lifeline: Int32

    /// - Parameter script: run by `sh` once this process is gone; `arguments` are its `$1`, `$2` …
    init(_ script: String, _ arguments: [String], under installation: Installation?) throws {
        var ends: [Int32] = [-1, -1]
        // A socket pair and not a pipe: it can be made close-on-exec in the same breath, before anyone else forks.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw TestPostgresError("no socket pair: errno \(errno)")
        }
        let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer {
            close(ends[0])
            close(silence)
        }
        lifeline = ends[1]
        let waiting = "while read -r line; do :; done\n" + script
        let shell = ["-c", waiting, "watchdog"] + arguments
        let (executable, all) = installation?.command("/bin/sh", shell) ?? ("/bin/sh", shell)
        let pid = try ChildProcess.spawn(
            executable, all, stdin: ends[0], stdout: silence, stderr: silence, environment: Installation.environment)
        Task.detached { _ = await ChildProcess.end(of: pid) }
    }

    deinit { close(lifeline) }
}
