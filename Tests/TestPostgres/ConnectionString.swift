/// libpq's two ways to write where a database is.
enum ConnectionString {
    static func replacingDatabase(of connectionString: String, with database: String) -> String {
        guard connectionString.hasPrefix("postgres://") || connectionString.hasPrefix("postgresql://"),
            let scheme = connectionString.firstRange(of: "://")
        else {
            // Of two values for one key, libpq takes the later.
            return connectionString + " dbname=\(database)"
        }
        let rest = connectionString[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let options = rest.drop { $0 != "?" }
        return connectionString[..<scheme.upperBound] + authority + "/" + database + options
    }
}
