import Testing

@testable import PostgresDriver

@Suite("What a statement costs is learned")
struct StatementStatisticsTests {
    let typicalRunTime = LowBiasedAverage()

    @Test("a statement nobody knows is not taken for quick")
    func unknown() {
        let cost = StatementStatistics()
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .unknown && !cost.isShareable)
        #expect(cost.estimate == StatementStatistics.unknown)
    }

    @Test("the first run, which plans, does not count once there is a second")
    func firstRun() {
        var cost = StatementStatistics()
        cost.succeeded(microseconds: 40_000)
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .slow)
        cost.succeeded(microseconds: 40)
        #expect(cost.estimate == 40)
        #expect(cost.isShareable)
    }

    @Test("one stall among many runs does not make a statement slow, a habit does")
    func habit() {
        var cost = StatementStatistics()
        for _ in 0..<50 { cost.succeeded(microseconds: 40) }
        cost.succeeded(microseconds: 60_000)
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .quick)
        for _ in 0..<50 { cost.succeeded(microseconds: 60_000) }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .slow)
        for _ in 0..<100 { cost.succeeded(microseconds: 40) }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .quick)
    }

    @Test("a starved machine, where now and then a run is delayed, makes nothing slow")
    func starvation() {
        var cost = StatementStatistics()
        for _ in 0..<100 {
            cost.succeeded(microseconds: 300)
            cost.succeeded(microseconds: 300)
            cost.succeeded(microseconds: 60_000)
            #expect(cost.demand(typicalRunTime: typicalRunTime) != .slow)
        }
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .unknown)
    }

    @Test("where everything takes long nothing is slow")
    func everythingSlow() {
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

    @Test("a statement that failed runs alone for a while")
    func failures() {
        var cost = StatementStatistics()
        for _ in 0..<3 { cost.succeeded(microseconds: 40) }
        cost.failed()
        #expect(cost.demand(typicalRunTime: typicalRunTime) == .quick && !cost.isShareable)
        for _ in 0..<StatementStatistics.runsAloneAfterFailure { cost.succeeded(microseconds: 40) }
        #expect(cost.isShareable)
    }
}
