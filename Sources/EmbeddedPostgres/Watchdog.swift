import Glibc

/// A shell process that stops Postgres when this process is gone, however it went.
///
/// It reads from a socket whose other end this process alone holds, so that the kernel tells it of every kind of end.
final class Watchdog: Sendable {
    private let lifeline: Int32

    /// `$1` is Postgres's data directory, `$2` its socket directory. The latter is this run's alone, and so tells this
    /// run's Postgres from one that a new server has started meanwhile on the same data.
    private static let script = """
        while read -r line; do [ "$line" = stopped ] && exit; done
        ours() {
            { read -r pid && read -r a && read -r b && read -r c && read -r socket; } <"$1/postmaster.pid" &&
                [ "$socket" = "$2" ]
        } 2>/dev/null
        patience=50
        until ours "$1" "$2" || [ $patience = 0 ]; do
            patience=$((patience - 1))
            sleep 0.1
        done
        if ours "$1" "$2"; then
            for signal in INT QUIT KILL; do
                kill -$signal $pid || break
                patience=100
                while kill -0 $pid 2>/dev/null && [ $patience != 0 ]; do
                    patience=$((patience - 1))
                    sleep 0.1
                done
            done
        fi
        rm -rf "$2"
        """

    init(dataDirectory: String, socketDirectory: String, account: Account) throws {
        var ends: [Int32] = [-1, -1]
        // A socket pair and not a pipe: it can be made close-on-exec in the same breath, before anyone else forks.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw EmbeddedPostgresError.system("no socket pair", errno)
        }
        let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer {
            close(ends[0])
            close(silence)
        }
        lifeline = ends[1]
        let (executable, arguments) = account.command(
            "/bin/sh", ["-c", Self.script, "watchdog", dataDirectory, socketDirectory])
        let pid = try ChildProcess.spawn(executable, arguments, stdin: ends[0], stdout: silence, stderr: silence)
        Task.detached { _ = await ChildProcess.end(of: pid) }
    }

    /// Postgres is stopped, and there is nothing left to watch.
    func dismiss() {
        let word = Array("stopped\n".utf8)
        // If it is gone already, so much the better.
        _ = send(lifeline, word, word.count, Int32(MSG_NOSIGNAL))
    }

    deinit { close(lifeline) }
}
