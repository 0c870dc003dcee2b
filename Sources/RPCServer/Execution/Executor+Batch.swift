import Auth
import PostgresDriver
import QueryCompiler

/// Batches of changes.
extension Executor {
    /// Sends changes and the queries that read their records back as one transaction, in one round trip.
    func change(
        _ batch: ChangeBatch, for call: Call, on database: PostgresClient
    ) async throws(ExecutionError) -> CallResult {
        let context = ChangeContext(executor: self, database: database, call: call)
        if let query = batch.soleRead, let change = batch.changes.first {
            let rows = try await self.query(query, on: database, for: call)
            guard let result = try change.result(of: [rows], answer: nil) else {
                throw try await change.unmatched(nil, after: [], in: context)
            }
            return result
        }
        let transaction = try await BatchTransaction(batch, for: call)
        let results: [Rows]
        do throws(PostgresError) {
            results = try await self.results(of: transaction, for: call, on: database)
        } catch {
            if let answers = error.earlierAnswers { return try await answerAgain(batch, answers, in: context) }
            throw try await explain(error, of: transaction, in: context)
        }
        return try await result(of: transaction, results, in: context)
    }

    /// Runs a transaction, and again if it has copied a value that was changed meanwhile.
    private func results(
        of transaction: BatchTransaction, for call: Call, on database: PostgresClient
    ) async throws(PostgresError) -> [Rows] {
        var attempts = 3
        while true {
            do throws(PostgresError) {
                return try await database.transaction(
                    transaction.steps, for: call.caller?.share, deadline: call.context.deadline)
            } catch {
                attempts -= 1
                let index = transaction.change(ofStep: error.failedStep, constraint: error.server?.constraint)
                guard attempts > 0, let index, transaction.batch.changes[index].copiedOldValue(error) else {
                    throw error
                }
            }
        }
    }

    private func result(
        of transaction: BatchTransaction, _ results: [Rows], in context: ChangeContext
    ) async throws(ExecutionError) -> CallResult {
        let batch = transaction.batch
        var found: [CallResult] = []
        for (index, (change, range)) in zip(batch.changes, transaction.ranges).enumerated() {
            let answer = batch.keepsAnswers ? results[range.upperBound].text(0, 0) : nil
            do throws(ExecutionError) {
                guard let result = try change.result(of: results[range], answer: answer) else {
                    throw try await change.unmatched(nil, after: [], in: context)
                }
                found.append(batch.terms.isDryRun ? result.withoutReadBack : result)
            } catch {
                throw batch.error(error, of: index)
            }
        }
        let answers = transaction.ranges.map { batch.keepsAnswers ? results[$0.upperBound].text(0, 0) : nil }
        try await finish(batch, answers, for: context.call)
        return batch.result(of: found)
    }

    /// Does what follows the commit of each change, and then throws the first error.
    private func finish(_ batch: ChangeBatch, _ answers: [String?], for call: Call) async throws(ExecutionError) {
        guard !batch.terms.isDryRun else { return }
        var failure: ExecutionError?
        for (index, change) in batch.changes.enumerated() {
            do throws(ExecutionError) {
                try await change.committed(answer: answers[index], for: call)
            } catch {
                failure = failure ?? batch.error(error, of: index)
            }
        }
        if let failure { throw failure }
    }

    // MARK: Calls that were executed before

    /// Answers a batch that an earlier call with the same idempotency key has executed: reads its records again.
    private func answerAgain(
        _ batch: ChangeBatch, _ answers: [String?], in context: ChangeContext
    ) async throws(ExecutionError) -> CallResult {
        guard answers.count == batch.changes.count else {
            throw .unexpected(cause: "an idempotency key has the answers of another number of calls")
        }
        let queries = zip(batch.changes, answers).map { change, answer in change.readAgain(answer) }
        let steps = queries.compactMap { $0?.step }
        var results: [Rows] = []
        if !steps.isEmpty {
            results = try await mapError(
                async: await context.database.transaction(
                    [CallSettings.step(of: context.call)] + steps, for: context.call.caller?.share,
                    deadline: context.call.context.deadline),
                ExecutionError.init(postgres:))
            results.removeFirst()
        }
        var found: [CallResult] = []
        for (index, change) in batch.changes.enumerated() {
            let rows = queries[index] == nil ? nil : results.removeFirst()
            do throws(ExecutionError) {
                found.append(try change.result(ofReadingAgain: rows, answer: answers[index]))
            } catch {
                throw batch.error(error, of: index)
            }
        }
        try await finish(batch, answers, for: context.call)
        return batch.result(of: found)
    }

    // MARK: Errors

    private func explain(
        _ error: PostgresError, of transaction: BatchTransaction, in context: ChangeContext
    ) async throws(ExecutionError) -> ExecutionError {
        guard error.kind == .server, let server = error.server else { return ExecutionError(postgres: error) }
        let batch = transaction.batch
        if let conflict = error.idempotencyConflict { return .idempotency(conflict) }
        guard let index = transaction.change(ofStep: error.failedStep, constraint: server.constraint) else {
            return ExecutionError(postgres: error)
        }
        let change = batch.changes[index]
        var context = context
        context.followsOthers = index > 0
        if server.constraint == KernelStatement.unmatched {
            do throws(ExecutionError) {
                return batch.error(
                    try await change.unmatched(server.missingRecord, after: error.answers, in: context), of: index)
            } catch {
                throw batch.error(error, of: index)
            }
        }
        return batch.error(await change.explain(error, in: context), of: index)
    }
}

extension ChangeBatch {
    fileprivate func result(of results: [CallResult]) -> CallResult {
        if !isTransaction, let only = results.first { only } else { .results(results) }
    }
}

// MARK: Statements

/// The steps of a batch. The statements of a batch of one change without terms are those of the change alone, after the
/// settings of the journal.
private struct BatchTransaction {
    let batch: ChangeBatch
    let steps: [Step]
    /// The steps of each change. With kept answers, the step after them ends the call.
    let ranges: [Range<Int>]

    init(_ batch: ChangeBatch, for call: Call) async throws(ExecutionError) {
        let once = batch.terms.once
        let account = call.caller?.user.userID
        var steps = [CallSettings.step(of: call)]
        if let once { steps.append(once.beginning(for: account)) }
        var ranges: [Range<Int>] = []
        for (index, change) in batch.changes.enumerated() {
            let start = steps.count
            do throws(ExecutionError) {
                steps += try await change.steps(for: call)
            } catch {
                throw batch.error(error, of: index)
            }
            ranges.append(start..<steps.count)
            if batch.keepsAnswers {
                steps.append(Step(KernelStatement.nextCall, [.text(change.mustMatch ? "true" : "false")]))
            }
        }
        if let once { steps.append(once.keepingAnswers(for: account)) }
        if batch.terms.isDryRun {
            // Between two Syncs is one transaction without BEGIN, and ROLLBACK undoes it. Postgres warns that there is
            // no transaction block.
            steps += [Step(KernelStatement.checkDeferred), Step(KernelStatement.rollback)]
        }
        self.batch = batch
        self.steps = steps
        self.ranges = ranges
    }

    /// The change that an error belongs to.
    ///
    /// - Parameter step: nil if the transaction could not be committed.
    func change(ofStep step: Int?, constraint: String?) -> Int? {
        if batch.changes.count == 1 { return 0 }
        if let step, let index = ranges.firstIndex(where: { $0.lowerBound <= step && step <= $0.upperBound }) {
            return index
        }
        // A deferred constraint: the last change that can violate it.
        guard let constraint else { return nil }
        return batch.changes.lastIndex { $0.declares(constraint: constraint) }
    }
}

private enum KernelStatement {
    /// The constraint name that `kernel.next_call` raises.
    static let unmatched = "kernel_unmatched"
    static let nextCall = Statement("SELECT kernel.next_call($1::boolean)")
    static let checkDeferred = Statement("SELECT kernel.check_deferred()")
    static let rollback = Statement("ROLLBACK")
}
