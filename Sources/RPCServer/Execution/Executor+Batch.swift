import Auth
import PostgresDriver
import QueryCompiler

/// Batches of writes.
extension Executor {
    /// Sends writes and the queries that read their records back as one transaction, in one round trip.
    func write(
        _ batch: WriteBatch, for call: Call, on database: PostgresClient
    ) async throws(ExecutionError) -> CallResult {
        let context = WriteContext(executor: self, database: database, call: call)
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
                let index = transaction.write(ofStep: error.failedStep, constraint: error.server?.constraint)
                guard attempts > 0, let index, transaction.batch.writes[index].write.copiedOldValue(error) else {
                    throw error
                }
            }
        }
    }

    private func result(
        of transaction: BatchTransaction, _ results: [Rows], in context: WriteContext
    ) async throws(ExecutionError) -> CallResult {
        let batch = transaction.batch
        let answers = transaction.places.map { results[$0.write].answer }
        var found: [CallResult] = []
        for (index, (planned, place)) in zip(batch.writes, transaction.places).enumerated() {
            let write = planned.write
            do throws(ExecutionError) {
                guard let result = try write.result(of: results[place.read], answer: answers[index]) else {
                    throw try await write.unmatched(nil, after: [], in: context)
                }
                found.append(batch.terms.isDryRun ? result.withoutReadBack : result)
            } catch {
                throw batch.error(error, of: index)
            }
        }
        try await finish(batch, answers, for: context.call)
        return batch.result(of: found)
    }

    /// Does what follows the commit of each write, and then throws the first error.
    private func finish(_ batch: WriteBatch, _ answers: [String?], for call: Call) async throws(ExecutionError) {
        guard !batch.terms.isDryRun else { return }
        var failure: ExecutionError?
        for (index, planned) in batch.writes.enumerated() {
            do throws(ExecutionError) {
                try await planned.committed(answer: answers[index], for: call)
            } catch {
                failure = failure ?? batch.error(error, of: index)
            }
        }
        if let failure { throw failure }
    }

    // MARK: Calls that were executed before

    /// Answers a batch that an earlier call with the same idempotency key has executed: reads its records again.
    private func answerAgain(
        _ batch: WriteBatch, _ answers: [String?], in context: WriteContext
    ) async throws(ExecutionError) -> CallResult {
        guard answers.count == batch.writes.count else {
            throw .unexpected(cause: "an idempotency key has the answers of another number of calls")
        }
        let queries = zip(batch.writes, answers).map { planned, answer in planned.write.readAgain(answer) }
        let steps = queries.compactMap { $0?.step(in: context.call.company) }
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
        for (index, planned) in batch.writes.enumerated() {
            let rows = queries[index] == nil ? nil : results.removeFirst()
            do throws(ExecutionError) {
                found.append(try planned.write.result(ofReadingAgain: rows, answer: answers[index]))
            } catch {
                throw batch.error(error, of: index)
            }
        }
        try await finish(batch, answers, for: context.call)
        return batch.result(of: found)
    }

    // MARK: Errors

    private func explain(
        _ error: PostgresError, of transaction: BatchTransaction, in context: WriteContext
    ) async throws(ExecutionError) -> ExecutionError {
        guard error.kind == .server, let server = error.server else { return ExecutionError(postgres: error) }
        let batch = transaction.batch
        if let conflict = error.idempotencyConflict { return .idempotency(conflict) }
        guard let index = transaction.write(ofStep: error.failedStep, constraint: server.constraint) else {
            return ExecutionError(postgres: error)
        }
        let write = batch.writes[index].write
        var context = context
        context.followsOthers = index > 0
        if server.constraint == KernelStatement.unmatched {
            do throws(ExecutionError) {
                return batch.error(
                    try await write.unmatched(server.missingRecord, after: error.answers, in: context), of: index)
            } catch {
                throw batch.error(error, of: index)
            }
        }
        return batch.error(await write.explain(error, in: context), of: index)
    }
}

extension WriteBatch {
    fileprivate func result(of results: [CallResult]) -> CallResult {
        if !isTransaction, let only = results.first { only } else { .results(results) }
    }
}

// MARK: Statements

/// The steps of a batch. The statements of a batch of one write without terms are those of the write alone, after the
/// settings of the journal.
private struct BatchTransaction {
    let batch: WriteBatch
    let steps: [Step]
    /// One for each write.
    let places: [Place]

    /// Where the steps of a write are among those of the batch.
    struct Place {
        /// All steps of the call, with those of hooks.
        let steps: Range<Int>
        /// The statement that writes.
        let write: Int
        /// The last statement, which reads what was written if the call answers records.
        let read: Int
    }

    init(_ batch: WriteBatch, for call: Call) async throws(ExecutionError) {
        let once = batch.terms.once
        let account = call.caller?.user.userID
        var steps = [CallSettings.step(of: call)]
        if let once { steps.append(once.beginning(for: account)) }
        var places: [Place] = []
        for (index, planned) in batch.writes.enumerated() {
            let start = steps.count
            let own: (write: Int, read: Int)
            do throws(ExecutionError) {
                own = try await planned.append(to: &steps, for: call)
            } catch {
                throw batch.error(error, of: index)
            }
            if batch.keepsAnswers {
                steps.append(Step(KernelStatement.nextCall, [.text(planned.write.mustMatch ? "true" : "false")]))
            }
            places.append(Place(steps: start..<steps.count, write: own.write, read: own.read))
        }
        if let once { steps.append(once.keepingAnswers(for: account)) }
        if batch.terms.isDryRun {
            // Between two Syncs is one transaction without BEGIN, and ROLLBACK undoes it. Postgres warns that there is
            // no transaction block.
            steps += [Step(KernelStatement.checkDeferred), Step(KernelStatement.rollback)]
        }
        self.batch = batch
        self.steps = steps
        self.places = places
    }

    /// The write that an error belongs to.
    ///
    /// - Parameter step: nil if the transaction could not be committed.
    func write(ofStep step: Int?, constraint: String?) -> Int? {
        if batch.writes.count == 1 { return 0 }
        if let step, let index = places.firstIndex(where: { $0.steps.contains(step) }) { return index }
        // A deferred constraint: the last write that can violate it.
        guard let constraint else { return nil }
        return batch.writes.lastIndex { $0.write.declares(constraint: constraint) }
    }
}

extension PlannedWrite {
    /// - Returns: where the statement that writes is, and the last one of the write.
    fileprivate func append(
        to steps: inout [Step], for call: Call
    ) async throws(ExecutionError) -> (write: Int, read: Int) {
        for hook in hooks {
            if let before = hook.before { steps += try await before(call) }
        }
        var written = steps.count
        var last = written
        for (index, query) in write.queries.enumerated() {
            last = steps.count
            steps.append(query.step(in: call.company))
            guard index == write.writeIndex else { continue }
            written = last
            for hook in hooks {
                if let after = hook.after { steps += try await after(call) }
            }
        }
        return (written, last)
    }
}

extension Rows {
    /// What a write has left as its answer; nil if it has matched no record, or its function has returned null.
    fileprivate var answer: String? {
        guard count > 0, let text = text(0, 0), !text.isEmpty else { return nil }
        return text
    }
}

private enum KernelStatement {
    /// The constraint name that `kernel.next_call` raises.
    static let unmatched = "kernel_unmatched"
    static let nextCall = Statement("SELECT kernel.next_call($1::boolean)")
    static let checkDeferred = Statement("SELECT kernel.check_deferred()")
    static let rollback = Statement("ROLLBACK")
}
