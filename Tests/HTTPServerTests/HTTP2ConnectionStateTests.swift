import Testing

@testable import HTTPServer

@Suite struct HTTP2ConnectionStateTests {
    private static let timeouts = HTTPConnectionStateMachine.Timeouts(request: 30, idle: 75)
    private var state = HTTP2ConnectionState(timeouts: Self.timeouts, now: 0)

    @Test mutating func `a connection without streams ends after the idle timeout, which begins with the last one`() {
        #expect(state.timeoutsChecked(now: 75, unsentBytes: 0) == .none)
        state.streamOpened(1)
        #expect(state.timeoutsChecked(now: 200, unsentBytes: 0) == .none)
        #expect(state.streamClosed(now: 210) == .none)
        #expect(state.timeoutsChecked(now: 285, unsentBytes: 0) == .none)
        #expect(state.timeoutsChecked(now: 286, unsentBytes: 0) == .end(lastStream: 1))
    }

    @Test mutating func `a client that receives nothing for too long is cut off, also while its streams are open`() {
        state.streamOpened(1)
        #expect(state.timeoutsChecked(now: 10, unsentBytes: 500) == .none)
        #expect(state.timeoutsChecked(now: 30, unsentBytes: 700) == .none)
        #expect(state.timeoutsChecked(now: 35, unsentBytes: 600) == .none)
        #expect(state.timeoutsChecked(now: 65, unsentBytes: 600) == .none)
        #expect(state.timeoutsChecked(now: 66, unsentBytes: 900) == .close)
    }

    @Test
    mutating func `a shutdown takes every stream that is on its way, then names the last one and waits for it`() {
        state.streamOpened(1)
        state.drainBegan()
        state.streamOpened(3)
        #expect(state.drainPhaseBegan(.endIdle) == .announceEnd(lastStream: 3))
        #expect(state.streamClosed(now: 5) == .none)
        #expect(state.streamClosed(now: 6) == .close)
    }

    @Test mutating func `a shutdown ends a connection without streams, and cuts off one whose streams do not end`() {
        state.drainBegan()
        #expect(state.drainPhaseBegan(.endIdle) == .end(lastStream: 0))
        state.streamOpened(1)
        #expect(state.drainPhaseBegan(.cancelRunning) == .none)
        #expect(state.drainPhaseBegan(.cutOff) == .close)
    }

    @Test mutating func `a connection gives way to another one only without streams`() {
        state.streamOpened(1)
        #expect(state.gaveWay() == .none)
        _ = state.streamClosed(now: 1)
        #expect(state.gaveWay() == .end(lastStream: 1))
    }
}
