/// What a statement has cost lately, in microseconds on its connection, and whether it tends to fail.
///
/// Measured from outside, so a machine with too much to do makes everything look dear. That must not make reads wait
/// that cost nothing: whether a statement is slow is judged by its better runs, how long it is expected to take by all.
struct StatementStatistics {
    /// Statements up to this on average run among others.
    static let quickLimit = 5_000
    /// Statements whose better runs take longer are slow, unless everything takes long.
    static let slowLimit = 20_000
    /// What a statement that never ran is taken to cost.
    static let unknown = 500
    /// After a failure this many runs get a Sync of their own, so that neighbours are not aborted with it.
    static let runsAloneAfterFailure = 64
    /// Of how many runs, roughly, the average is kept.
    static let memory = 16

    private(set) var average: Int?
    private var better = LowBiasedAverage()
    private var runs = 0
    private var runsAlone = 0
    /// How many are with a connection, sent or about to be.
    var inFlight = 0

    var estimate: Int { average ?? Self.unknown }

    /// What a read of it needs; what nobody knows yet is kept apart, once.
    /// - Parameter usual: what the better runs of all statements take.
    func demand(typicalRunTime: LowBiasedAverage) -> PoolStateMachine.Demand {
        // As long as the first has not come back, it may be that it never does.
        guard let average else { return inFlight > 0 ? .slow : .unknown }
        if better.microseconds > max(Self.slowLimit, typicalRunTime.microseconds * 8) { return .slow }
        return average <= Self.quickLimit ? .quick : .unknown
    }

    /// Whether it may share a Sync with others: known to be quick, and not known to fail.
    var isShareable: Bool {
        average.map { $0 <= Self.quickLimit && runsAlone == 0 } ?? false
    }

    mutating func succeeded(microseconds: Int) {
        if runsAlone > 0 { runsAlone -= 1 }
        runs = min(runs + 1, Self.memory + 1)
        // The first run plans and may read from disk: the second replaces it.
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

/// An average that leans to the low side: it falls fast and rises slowly.
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
