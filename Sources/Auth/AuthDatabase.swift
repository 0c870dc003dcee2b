import PostgresDriver

/// The database connections of this module. Errors of the driver become ``AuthError``.
struct AuthDatabase: Sendable {
    let client: PostgresClient

    /// Runs one statement outside a transaction.
    ///
    /// - Parameter share: who waits in turn with others; nil: the server itself.
    func query(
        _ statement: Statement, _ parameters: [Parameter] = [], for share: Share? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Rows {
        do throws(PostgresError) {
            return try await client.query(statement, parameters, for: share, deadline: deadline)
        } catch {
            throw AuthError(error)
        }
    }

    /// Runs the steps in one transaction.
    ///
    /// - Parameter share: who waits in turn with others; nil: the server itself.
    /// - Returns: the rows of each step.
    func transaction(
        _ steps: [Step], for share: Share? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [Rows] {
        do throws(PostgresError) {
            return try await client.transaction(steps, for: share, deadline: deadline)
        } catch {
            throw AuthError(error)
        }
    }

    /// Runs a step that inserts an account.
    ///
    /// - Throws: `.emailTaken` when the database finds the e-mail in another account.
    func insertAccount(_ step: Step, deadline: ContinuousClock.Instant? = nil) async throws(AuthError) -> Rows {
        do throws(AuthError) {
            return try await transaction([step], deadline: deadline)[0]
        } catch .database(let error) where error.sqlState == "23505" {
            throw .emailTaken
        }
    }
}
