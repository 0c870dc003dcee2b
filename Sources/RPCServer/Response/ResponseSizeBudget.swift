/// The bytes that the results in one HTTP response may take, those of a batch together. Error objects are small and do
/// not count.
struct ResponseSizeBudget: Sendable {
    private let max: Int
    /// Bytes that were written and discarded because the result did not fit.
    private var discardedBytes = 0

    init(max: Int) {
        self.max = max
    }

    /// The writer index that a result which begins at `start` must not exceed.
    ///
    /// Once the discarded results have cost as much work as a whole response, each further result gets a small part of
    /// the budget only. Otherwise a batch of oversized results would block the event loop for long.
    func end(from start: Int) -> Int {
        discardedBytes < max ? max : min(max, start + max / 64)
    }

    mutating func discard(_ bytes: Int) {
        discardedBytes += bytes
    }

    /// - Parameter isWritten: whether the call has changed the record that its result would show.
    func error(isWritten: Bool) -> ResponseSizeError {
        ResponseSizeError(max: max, isWritten: isWritten)
    }
}

/// A result exceeds the size of a response.
struct ResponseSizeError: Error, Sendable, Hashable {
    /// The budget of the response in bytes.
    let max: Int
    /// Whether the call has changed the record that its result would have shown.
    let isWritten: Bool
}
