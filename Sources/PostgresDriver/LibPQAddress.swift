/// A connection string for another program of libpq, such as `psql` or `pg_dump`.
///
/// Other users of the machine can read the arguments of a program, but not its environment. The password is therefore apart.
public struct LibPQAddress: Sendable, Equatable {
    /// The keywords and values without the password, for `--dbname`.
    public let string: String
    /// The password, for the environment variable `PGPASSWORD`; nil if the connection string has none.
    public let password: String?

    /// - Parameter connectionString: a URI or key/value string, in any form that libpq reads.
    /// - Throws: `PostgresError` of the kind `.unavailable` when libpq cannot read it.
    public init(_ connectionString: String) throws(PostgresError) {
        let given: [(key: String, value: String)]
        do throws(ConnectError) {
            given = try ConnectOptions.parse(connectionString)
        } catch {
            throw PostgresError(.unavailable, cause: error.cause)
        }
        password = given.last { $0.key == "password" }?.value
        string = given.filter { $0.key != "password" }
            .map { "\($0.key)='\(Self.escape($0.value))'" }.joined(separator: " ")
    }

    private static func escape(_ value: String) -> String {
        var escaped = ""
        for character in value {
            if character == "'" || character == "\\" { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }
}
