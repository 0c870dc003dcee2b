import NIOCore

/// The state of each of a group's event loops.
struct LoopStates: Sendable {
    private let states: [ObjectIdentifier: NIOLoopBoundBox<LoopState>]

    init(_ group: any EventLoopGroup) async throws {
        var states: [ObjectIdentifier: NIOLoopBoundBox<LoopState>] = [:]
        for loop in group.makeIterator() {
            states[ObjectIdentifier(loop)] = try await loop.submit {
                NIOLoopBoundBox(LoopState(loop), eventLoop: loop)
            }.get()
        }
        self.states = states
    }

    /// Called on `loop`, which is one of the group's.
    func state(of loop: any EventLoop) throws -> LoopState {
        guard let box = states[ObjectIdentifier(loop)] else { throw UnknownEventLoop() }
        return box.value
    }

    func start(every interval: Duration) {
        for box in states.values {
            box.eventLoop.execute { box.value.startRounds(every: interval) }
        }
    }

    func stop() {
        for box in states.values {
            box.eventLoop.execute { box.value.stopRounds() }
        }
    }

    private struct UnknownEventLoop: Error {}
}
