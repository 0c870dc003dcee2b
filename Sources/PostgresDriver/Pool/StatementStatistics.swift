/// How long the recent runs of a statement took, in microseconds on its connection, and whether it tends to fail.
///
/// The times include waiting for the processor, so on an overloaded machine every statement looks expensive. Cheap
/// reads must not wait because of that. So only the better runs decide whether a statement is slow; all runs decide how
/// long it is expected to take.
struct StatementStatistics {
    /// Statements that take up to this long on average share batches.
    static let quickLimit = 5_000
    /// A statement is slow if its better runs take longer than this, unless all statements take long.
    static let slowLimit = 20_000
    /// After a failure this many runs get a batch of their own, so that another failure undoes no other request.
    static let runsAloneAfterFailure = 64
    /// The number of runs over which the average is taken, roughly.
    static let memory = 16

    private(set) var average: Int?
    private var better = LowBiasedAverage()
    private var runs = 0
    private var runsAlone = 0
    /// Reads of the statement that are assigned to a connection.
    var inFlight = 0

    /// How long a run may take, in microseconds.
    func estimate(expected: ExpectedRunTime = .unknown) -> Int { average ?? expected.microseconds }

    /// What a read of the statement demands of a connection. The first read of an unknown statement is kept apart.
    /// - Parameters:
    ///   - typicalRunTime: of the better runs of all statements.
    ///   - expected: what the caller expects of this run.
    func demand(
        typicalRunTime: LowBiasedAverage, expected: ExpectedRunTime = .unknown
    ) -> PoolStateMachine.Demand {
        guard let average else {
            switch expected {
            case .quick: return .quick
            // While the first run has not ended, it may be an endless one.
            case .unknown: return inFlight > 0 ? .slow : .unknown
            case .slow: return .slow
            }
        }
        if better.microseconds > max(Self.slowLimit, typicalRunTime.microseconds * 8) { return .slow }
        return average <= Self.quickLimit && expected != .slow ? .quick : .unknown
    }

    /// Whether it may share a batch with other requests: it is known to be quick and has not failed recently.
    var isShareable: Bool {
        average.map { $0 <= Self.quickLimit && runsAlone == 0 } ?? false
    }

    mutating func succeeded(microseconds: Int) {
        if runsAlone > 0 { runsAlone -= 1 }
        runs = min(runs + 1, Self.memory + 1)
        // The first run includes planning and reading from disk, so the second replaces it.
        guard let old = average, runs > 2 else {
            average = microseconds
            better = LowBiasedAverage()
            better.add(microseconds)
            return
        }
        average = old + (microseconds - old) / (runs - 1)
        better.add(microseconds)
    }

    mutating func failed() {
        runsAlone = Self.runsAloneAfterFailure
    }
}

/// A moving average that leans to the low side: it falls fast and rises slowly.
struct LowBiasedAverage {
    private var value: Int?

    var microseconds: Int { value ?? 0 }

    mutating func add(_ sample: Int) {
        guard let old = value else {
            value = sample
            return
        }
        value = old + (sample - old) / (sample < old ? 4 : 32)
    }
}

extension Duration {
    var microseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: min(seconds, 1 << 40) * 1_000_000 + attoseconds / 1_000_000_000_000)
    }
}
