import Glibc
import SystemPackage

/// A shell script that runs when this process ends, however it ends.
///
/// Subprocess stops a child when its task is cancelled, which `kill -9` and a crash do not do. The script's shell reads
/// from a socket of which only this process holds the other end. The kernel closes that end with the process, the shell
/// reads the end of file, and the script starts.
package final class Lifeline: Sendable {
    private let socket: Int32

    /// Starts the shell that waits.
    ///
    /// - Parameters:
    ///   - script: is run by `sh` after the end of this process, or of this value, unless it was dismissed before.
    ///   - arguments: the script's `$1`, `$2` …
    ///   - command: returns the command that runs a program, for example under another account.
    package init(
        _ script: String, _ arguments: [String], environment: [String: String],
        command: (_ program: String, _ arguments: [String]) -> (String, [String])
    ) async throws {
        var ends: [Int32] = [-1, -1]
        // Close-on-exec from the start: a program that another thread starts must not keep an end open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        socket = ends[1]
        defer { close(ends[0]) }
        let waiting = "while read -r line; do [ \"$line\" = dismissed ] && exit; done\n" + script
        let (executable, all) = command("/bin/sh", ["-c", waiting, "lifeline"] + arguments)
        _ = try await BackgroundProcess.start(executable, all, input: ends[0], environment: environment)
    }

    /// Ends the shell without running the script.
    package func dismiss() {
        let line = Array("dismissed\n".utf8)
        // An error means that the shell has ended already.
        _ = send(socket, line, line.count, Int32(MSG_NOSIGNAL))
    }

    deinit { close(socket) }
}
