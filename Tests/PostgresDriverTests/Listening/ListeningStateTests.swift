import Testing

@testable import PostgresDriver

@Suite("A listener's decisions")
struct ListeningStateTests {
    private let start = ContinuousClock.now
    private let rhythm = ListeningState.Rhythm(heartbeat: .seconds(1), answerWithin: .seconds(5))

    private func listening() -> ListeningState {
        var state = ListeningState(rhythm, now: start)
        _ = state.timePassed(start)
        state.connected(start)
        _ = state.answered(start)
        return state
    }

    @Test("it connects, listens, and has missed nothing the first time")
    func first() {
        var state = ListeningState(rhythm, now: start)
        #expect(state.due == start)
        #expect(state.timePassed(start) == .connect)
        #expect(state.due == nil)
        state.connected(start)
        #expect(state.isWaiting)
        let answer = state.answered(start + .milliseconds(20))
        #expect(answer == .listening(mayHaveMissed: false, heardAt: start))
        #expect(state.due == start + .seconds(1))
    }

    @Test("a heartbeat counts from when it was sent")
    func heartbeat() {
        var state = listening()
        #expect(state.timePassed(start + .milliseconds(999)) == .none)
        #expect(state.timePassed(start + .seconds(1)) == .ask)
        #expect(state.answered(start + .seconds(3)) == .heard(start + .seconds(1)))
        #expect(state.due == start + .seconds(3))
    }

    @Test("a heartbeat or a LISTEN that is not answered in time ends the connection")
    func silence() {
        var state = listening()
        _ = state.timePassed(start + .seconds(1))
        #expect(state.due == start + .seconds(6))
        #expect(state.timePassed(start + .milliseconds(5_999)) == .none)
        #expect(state.timePassed(start + .seconds(6)) == .giveUp)
        var greeting = ListeningState(rhythm, now: start)
        _ = greeting.timePassed(start)
        greeting.connected(start)
        #expect(greeting.timePassed(start + .seconds(5)) == .giveUp)
    }

    @Test("a loss is told once, tried again ever more slowly, and what comes back may have missed something")
    func losses() {
        var state = listening()
        var now = start
        var pauses: [Duration] = []
        for attempt in 0..<6 {
            let loss = state.lost(now, chance: 0)
            #expect(loss.isNews == (attempt == 0))
            pauses.append(loss.pause)
            now += loss.pause
            #expect(state.timePassed(now - .milliseconds(1)) == .none)
            #expect(state.timePassed(now) == .connect)
        }
        #expect(pauses == [25, 50, 100, 200, 250, 250].map { .milliseconds($0) })
        state.connected(now)
        #expect(state.answered(now) == .listening(mayHaveMissed: true, heardAt: now))
        let again = state.lost(now, chance: 0)
        #expect(again == .init(pause: .milliseconds(25), isNews: true))
    }

    @Test("after the end nothing is done")
    func end() {
        var state = listening()
        state.end()
        #expect(state.due == nil)
        #expect(state.timePassed(start + .seconds(60)) == .none)
        #expect(state.answered(start) == .unexpected)
    }
}
