import Testing

@testable import PostgresDriver

struct StatementStatisticsTests {
    let typicalRunTime = LowBiasedAverage()

    @Test func `a statement that has not run is not taken for quick`() {
        let cost = StatementStatistics()
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .unknown && !cost.isShareable)
        #expect(cost.estimate() == ExpectedRunTime.unknown.microseconds)
    }

    @Test func `what a caller expects counts before the first run, and a slow read stays apart after it`() {
        var cost = StatementStatistics()
        func demands() -> [PoolStateMachine.Demand] {
            [ExpectedRunTime.quick, .unknown, .slow].map { cost.demand(typicalRunTime: typicalRunTime, expected: $0) }
        }
        #expect(demands() == [.quick, .unknown, .slow])
        cost.inFlight = 1
        #expect(demands() == [.quick, .slow, .slow])
        for _ in 0..<3 { cost.succeeded(microseconds: 40) }
        #expect(demands() == [.quick, .quick, .unknown])
    }

    @Test func `the first run, which includes planning, is ignored after the second`() {
        var cost = StatementStatistics()
        cost.succeeded(microseconds: 40_000)
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .slow)
        cost.succeeded(microseconds: 40)
        #expect(cost.estimate() == 40)
        #expect(cost.isShareable)
    }

    @Test func `one stall does not make a statement slow, many do`() {
        var cost = StatementStatistics()
        for _ in 0..<50 { cost.succeeded(microseconds: 40) }
        cost.succeeded(microseconds: 60_000)
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .quick)
        for _ in 0..<50 { cost.succeeded(microseconds: 60_000) }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .slow)
        for _ in 0..<100 { cost.succeeded(microseconds: 40) }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .quick)
    }

    @Test func `occasional delays on a starved machine make no statement slow`() {
        var cost = StatementStatistics()
        for _ in 0..<100 {
            cost.succeeded(microseconds: 300)
            cost.succeeded(microseconds: 300)
            cost.succeeded(microseconds: 60_000)
            #expect(cost.demand(typicalRunTime: typicalRunTime) != .slow)
        }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .unknown)
    }

    @Test func `where every statement takes long none counts as slow`() {
        var typicalRunTime = LowBiasedAverage()
        var cost = StatementStatistics()
        for _ in 0..<20 {
            cost.succeeded(microseconds: 60_000)
            typicalRunTime.add(60_000)
        }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .unknown)
        for _ in 0..<20 { typicalRunTime.add(100) }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .slow)
    }

    @Test func `a statement that failed runs alone for a while`() {
        var cost = StatementStatistics()
        for _ in 0..<3 { cost.succeeded(microseconds: 40) }
        cost.failed()
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .quick && !cost.isShareable)
        for _ in 0..<StatementStatistics.runsAloneAfterFailure { cost.succeeded(microseconds: 40) }
        #expect(cost.isShareable)
    }
}
