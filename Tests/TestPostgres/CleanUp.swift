/// What a lifeline does once the tests are gone.
enum CleanUp {
    /// `$1` the server's folder, `$2` the Postgres programs. A frozen server is thawed first, or it would not stop.
    static let ofServer = """
        postmaster=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
        if [ -n "$postmaster" ]; then
            family=$postmaster
            for stat in /proc/[0-9]*/stat; do
                read -r pid name state parent rest <"$stat" && [ "$parent" = "$postmaster" ] && family="$family $pid"
            done 2>/dev/null
            kill -CONT $family
            "$2/pg_ctl" -D "$1/data" -m immediate -w -t 20 stop || kill -KILL $family
        fi
        rm -rf "$1"
        """

    /// `$1` a connection string, `$2` the prefix of the names of this process's databases.
    static let ofDatabases = """
        psql -X -q -A -t -d "$1" -c "select datname from pg_database where datname like '$2%'" |
        while read -r database; do
            psql -X -q -d "$1" -c "drop database if exists $database with (force)" </dev/null
        done
        """
}
