import ChildProcesses

/// Stops Postgres when this process is gone, however it went.
struct Watchdog: Sendable {
    private let lifeline: Lifeline

    /// `$1` is Postgres's data directory, `$2` its socket directory. The latter is this run's alone, and so tells this
    /// run's Postgres from one that a new server has started meanwhile on the same data.
    private static let script = """
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
        lifeline = try Lifeline(
            Self.script, [dataDirectory, socketDirectory], environment: PostgresPrograms.environment,
            command: account.command)
    }

    /// Postgres is stopped, and there is nothing left to watch.
    func dismiss() { lifeline.dismiss() }
}
