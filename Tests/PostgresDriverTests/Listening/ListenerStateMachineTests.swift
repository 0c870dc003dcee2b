import Testing

@testable import PostgresDriver

struct ListenerStateMachineTests {
    private let start = ContinuousClock.now
    private let timing = ListenerStateMachine.Timing(heartbeatInterval: .seconds(1), heartbeatTimeout: .seconds(5))

    private func listening() -> ListenerStateMachine {
        var state = ListenerStateMachine(timing, now: start)
        _ = state.timerFired(start)
        state.connected(start)
        _ = state.responseReceived(start)
        return state
    }

    @Test func `a listener connects, subscribes, and has missed no notification the first time`() {
        var state = ListenerStateMachine(timing, now: start)
        #expect(state.timerDeadline == start)
        #expect(state.timerFired(start) == .connect)
        #expect(state.timerDeadline == nil)
        state.connected(start)
        #expect(state.awaitsResponse)
        let answer = state.responseReceived(start + .milliseconds(20))
        #expect(answer == .listening(mayHaveMissed: false, since: start))
        #expect(state.timerDeadline == start + .seconds(1))
    }

    @Test func `a heartbeat counts from the instant at which it was sent`() {
        var state = listening()
        #expect(state.timerFired(start + .milliseconds(999)) == .none)
        #expect(state.timerFired(start + .seconds(1)) == .sendHeartbeat)
        #expect(state.responseReceived(start + .seconds(3)) == .alive(start + .seconds(1)))
        #expect(state.timerDeadline == start + .seconds(3))
    }

    @Test func `a heartbeat or LISTEN without an answer closes the connection`() {
        var state = listening()
        _ = state.timerFired(start + .seconds(1))
        #expect(state.timerDeadline == start + .seconds(6))
        #expect(state.timerFired(start + .milliseconds(5_999)) == .none)
        #expect(state.timerFired(start + .seconds(6)) == .closeConnection)
        var greeting = ListenerStateMachine(timing, now: start)
        _ = greeting.timerFired(start)
        greeting.connected(start)
        #expect(greeting.timerFired(start + .seconds(5)) == .closeConnection)
    }

    @Test func `a loss is reported once and retried with growing delays`() {
        var state = listening()
        var now = start
        var pauses: [Duration] = []
        for attempt in 0..<6 {
            let loss = state.connectionLost(now, chance: 0)
            #expect(loss.isFirst == (attempt == 0))
            pauses.append(loss.retryDelay)
            now += loss.retryDelay
            #expect(state.timerFired(now - .milliseconds(1)) == .none)
            #expect(state.timerFired(now) == .connect)
        }
        #expect(pauses == [25, 50, 100, 200, 250, 250].map { .milliseconds($0) })
        state.connected(now)
        #expect(state.responseReceived(now) == .listening(mayHaveMissed: true, since: now))
        let again = state.connectionLost(now, chance: 0)
        #expect(again == .init(retryDelay: .milliseconds(25), isFirst: true))
    }

    @Test func `a listener that has ended takes no action`() {
        var state = listening()
        state.end()
        #expect(state.timerDeadline == nil)
        #expect(state.timerFired(start + .seconds(60)) == .none)
        #expect(state.responseReceived(start) == .unexpected)
    }
}
