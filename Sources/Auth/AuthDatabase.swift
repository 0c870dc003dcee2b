import PostgresDriver

/// What a write has come to.
enum WriteOutcome<Value: Sendable>: Sendable {
    case done(Value)
    /// An earlier call with the same idempotency key has made the write, with this answer.
    case repeated(answer: String?)
}

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

    /// Runs a statement that always gives a row.
    ///
    /// - Throws: `.database` with `.missingRow` if it gives none, so that nothing is decided without it.
    func row(
        of statement: Statement, _ parameters: [Parameter] = [], deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Rows {
        do throws(PostgresError) {
            return try await client.query(statement, parameters, deadline: deadline).withRow()
        } catch {
            throw AuthError(error)
        }
    }

    /// Runs a writing step that always gives a row, in a transaction of its own.
    ///
    /// - Throws: `.database` with `.missingRow` if it gives none, so that nothing is decided without it.
    func row(of step: Step, deadline: ContinuousClock.Instant? = nil) async throws(AuthError) -> Rows {
        do throws(PostgresError) {
            return try await client.transaction([step], deadline: deadline)[0].withRow()
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

    /// Makes a write for an account, on its terms, in one transaction.
    ///
    /// - Parameters:
    ///   - steps: leave what the write has answered in the setting `learntrack.answers`, a JSON array of one text, if it has
    ///     changed something.
    ///   - member: the one that makes the write; nil: the server itself.
    /// - Throws: `.idempotency` if the key is in use.
    func write(
        _ steps: [Step], by member: Member?, on terms: WriteTerms, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> WriteOutcome<[Rows]> {
        var all = [Step(Self.settings, [.text(Self.text(member?.id)), .text(Self.text(member?.company))])]
        if let once = terms.once {
            all += [once.beginning(for: member?.id)] + steps + [once.keepingAnswers(for: member?.id)]
        } else {
            all += steps
        }
        if terms.isDryRun { all.append(Step(Self.rollback)) }
        do throws(PostgresError) {
            let results = try await client.transaction(all, deadline: deadline)
            return .done(Array(results[(terms.once == nil ? 1 : 2)...].prefix(steps.count)))
        } catch {
            if let answers = error.earlierAnswers { return .repeated(answer: answers.first ?? nil) }
            throw error.idempotencyConflict.map { .idempotency($0) } ?? AuthError(error)
        }
    }

    private static func text(_ id: Int64?) -> String { id.map { String($0) } ?? "" }

    private static let settings = Statement(
        """
        SELECT set_config('learntrack.account', $1::text, true), set_config('learntrack.company', $2::text, true)
        """)
    private static let rollback = Statement("ROLLBACK")

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
