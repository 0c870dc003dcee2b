import Auth
import DomainKit
import JSON
import PostgresDriver

/// Why a command has failed, in one line for the person who typed it.
package struct CommandError: Error, CustomStringConvertible {
    package let description: String

    /// - Parameter description: its lines are joined to one.
    package init(_ description: String) {
        self.description = description.split(whereSeparator: \.isNewline)
            .map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(separator: " ")
    }

    init(_ error: PostgresError) {
        let description =
            switch (error.kind, error.sqlState) {
            case (.unavailable, _):
                "the database cannot be reached: "
                    + (error.lacksPlace ? Self.placeRemedied : Self.remedied)(
                        error.cause ?? error.server?.message ?? "no answer")
            case (_, "42P01"), (_, "42703"), (_, "42883"), (_, "3F000"):
                "the database's schema is not up to date: run 'learntrack migrate up'"
            case (_, "42501"):
                "the database: \(error.server?.message ?? "permission denied"): give the login that has applied the "
                    + "migrations, or grant this one its roles (docs/operations.md, Rights of the login)"
            case (_, "23514"), (_, "23000"): Self.message(forConstraint: error.server?.constraint)
            default: "the database: \(error.server?.message ?? error.description)"
            }
        self.init(description)
    }

    /// Why there is no place for a connection, with the remedy.
    private static func placeRemedied(_ cause: String) -> String {
        cause + ": end connections that are not needed, give smaller pools to the servers (--pool-size), or raise "
            + "max_connections or the limit of the role (ALTER ROLE … CONNECTION LIMIT)"
    }

    /// Why there is no connection, with the remedy.
    private static func remedied(_ cause: String) -> String {
        if cause.contains("connection string cannot be read") {
            return cause
                + ": postgres://login:password@host:port/database is expected in --database-url or DATABASE_URL"
        }
        // On a socket it may be the private Postgres, which has no settings.
        guard !cause.contains("on socket") else { return cause }
        return cause + ": start that Postgres, or correct --database-url (DATABASE_URL)"
    }

    init(_ error: AuthError) {
        switch error {
        case .database(let error): self.init(error)
        default: self.init("\(error)")
        }
    }

    /// What the person who typed the command reads of an error.
    static func text(of error: any Error) -> String {
        (error as? PostgresError).map { CommandError($0).description } ?? "\(error)"
    }

    /// Runs `body` and turns the errors of the libraries into command errors.
    static func converting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as PostgresError {
            throw CommandError(error)
        } catch let error as AuthError {
            throw CommandError(error)
        } catch let error as SigningSecretError {
            throw CommandError("JWT_SECRET: \(error)")
        }
    }

    /// The message of the entity that declares the constraint. Commands write accounts.
    private static func message(forConstraint constraint: String?) -> String {
        let entities = ServedDomains.kernel(granting: []).flatMap(\.entities)
        let problem = constraint.flatMap { name in
            entities.lazy.compactMap { $0.problem(forConstraint: name, given: JSONObject()) }.first
        }
        return problem?.message ?? "the database refuses the value (\(constraint ?? "no constraint named"))"
    }
}

/// Runs `body`, then `cleanUp`, whether or not `body` has thrown.
func withCleanUp(_ body: () async throws -> Void, cleanUp: () async -> Void) async throws {
    let result: Result<Void, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    await cleanUp()
    try result.get()
}
