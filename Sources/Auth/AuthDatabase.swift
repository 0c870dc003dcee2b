import PostgresDriver

/// The database as the rest of this module speaks to it: the same verbs, the module's own error.
struct AuthDatabase: Sendable {
    let client: PostgresClient

    func query(
        _ statement: Statement, _ parameters: [Parameter] = [], deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Rows {
        do throws(PostgresError) {
            return try await client.query(statement, parameters, deadline: deadline)
        } catch {
            throw AuthError(error)
        }
    }

    func transaction(
        _ steps: [Step], deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [Rows] {
        do throws(PostgresError) {
            return try await client.transaction(steps, deadline: deadline)
        } catch {
            throw AuthError(error)
        }
    }
}
