import Testing

@testable import PostgresDriver

@Suite("What a statement costs is learned")
struct LearnedCostTests {
    let usual = BetterRuns()

    @Test("a statement nobody knows is not taken for quick")
    func unknown() {
        let cost = LearnedCost()
        #expect(cost.demand(usual: usual) == .unsure && !cost.isShareable)
        #expect(cost.estimate == LearnedCost.unknown)
    }

    @Test("the first run, which plans, does not count once there is a second")
    func firstRun() {
        var cost = LearnedCost()
        cost.succeeded(microseconds: 40_000)
        #expect(cost.demand(usual: usual) == .slow)
        cost.succeeded(microseconds: 40)
        #expect(cost.estimate == 40)
        #expect(cost.isShareable)
    }

    @Test("one stall among many runs does not make a statement slow, a habit does")
    func habit() {
        var cost = LearnedCost()
        for _ in 0..<50 { cost.succeeded(microseconds: 40) }
        cost.succeeded(microseconds: 60_000)
        #expect(cost.demand(usual: usual) == .quick)
        for _ in 0..<50 { cost.succeeded(microseconds: 60_000) }
        #expect(cost.demand(usual: usual) == .slow)
        for _ in 0..<100 { cost.succeeded(microseconds: 40) }
        #expect(cost.demand(usual: usual) == .quick)
    }

    @Test("a starved machine, where now and then a run is delayed, makes nothing slow")
    func starvation() {
        var cost = LearnedCost()
        for _ in 0..<100 {
            cost.succeeded(microseconds: 300)
            cost.succeeded(microseconds: 300)
            cost.succeeded(microseconds: 60_000)
            #expect(cost.demand(usual: usual) != .slow)
        }
        #expect(cost.demand(usual: usual) == .unsure)
    }

    @Test("where everything takes long nothing is slow")
    func everythingSlow() {
        var usual = BetterRuns()
        var cost = LearnedCost()
        for _ in 0..<20 {
            cost.succeeded(microseconds: 60_000)
            usual.add(60_000)
        }
        #expect(cost.demand(usual: usual) == .unsure)
        for _ in 0..<20 { usual.add(100) }
        #expect(cost.demand(usual: usual) == .slow)
    }

    @Test("a statement that failed runs alone for a while")
    func failures() {
        var cost = LearnedCost()
        for _ in 0..<3 { cost.succeeded(microseconds: 40) }
        cost.failed()
        #expect(cost.demand(usual: usual) == .quick && !cost.isShareable)
        for _ in 0..<LearnedCost.runsAloneAfterFailure { cost.succeeded(microseconds: 40) }
        #expect(cost.isShareable)
    }
}
