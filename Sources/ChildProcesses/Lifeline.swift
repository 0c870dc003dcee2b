import Glibc

/// A shell process that outlives this one by a moment and then cleans up, however this one ended.
///
/// It reads from a socket whose other end this process alone holds, so that the kernel tells it of every kind of end.
package final class Lifeline: Sendable {
    private let descriptor: Int32

    /// - Parameters:
    ///   - script: run by `sh` once this process is gone, unless the lifeline was dismissed before.
    ///   - arguments: the script's `$1`, `$2` …
    ///   - command: how to run a program with its arguments, such as under another account.
    package init(
        _ script: String, _ arguments: [String], environment: [String: String],
        command: (_ program: String, _ arguments: [String]) -> (String, [String])
    ) throws(SystemCallError) {
        var ends: [Int32] = [-1, -1]
        // A socket pair and not a pipe: it can be made close-on-exec in the same breath, before anyone else forks.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemCallError("no socket pair", errno) }
        let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer {
            close(ends[0])
            close(silence)
        }
        descriptor = ends[1]
        let waiting = "while read -r line; do [ \"$line\" = dismissed ] && exit; done\n" + script
        let (executable, all) = command("/bin/sh", ["-c", waiting, "lifeline"] + arguments)
        let pid = try ChildProcess.spawn(
            executable, all, stdin: ends[0], stdout: silence, stderr: silence, environment: environment)
        Task.detached { _ = await ChildProcess.end(of: pid) }
    }

    /// Everything is put away already, and there is nothing left to clean up.
    package func dismiss() {
        let word = Array("dismissed\n".utf8)
        // If it is gone already, so much the better.
        _ = send(descriptor, word, word.count, Int32(MSG_NOSIGNAL))
    }

    deinit { close(descriptor) }
}
