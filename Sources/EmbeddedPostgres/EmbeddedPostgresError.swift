import ChildProcesses

/// Why there is no private Postgres, in one line for the person who started the command.
package struct EmbeddedPostgresError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }

    static func system(_ what: String, _ code: Int32) -> EmbeddedPostgresError {
        EmbeddedPostgresError(SystemCallError(what, code).description)
    }
}
