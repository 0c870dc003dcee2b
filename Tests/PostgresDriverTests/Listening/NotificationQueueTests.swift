import Testing

@testable import PostgresDriver

@Suite("What waits for a listener's consumer")
struct NotificationQueueTests {
    private let start = ContinuousClock.now

    private func notification(_ payload: Int) -> ListenEvent {
        .notification(PostgresNotification(channel: "c", payload: "\(payload)", senderProcessID: 1))
    }

    private func text(_ event: ListenEvent?) -> String {
        switch event {
        case .listening(let mayHaveMissed): "listening \(mayHaveMissed)"
        case .notification(let notification): notification.payload
        case .interrupted: "interrupted"
        case nil: "none"
        }
    }

    @Test("comes out in order")
    func order() {
        var queue = NotificationQueue(capacity: 3)
        queue.append(.listening(mayHaveMissed: false))
        queue.append(notification(1))
        #expect([text(queue.next()), text(queue.next()), text(queue.next())] == ["listening false", "1", "none"])
    }

    @Test("is bounded: the oldest go, and the consumer is told first")
    func overflow() {
        var queue = NotificationQueue(capacity: 3)
        for number in 0..<100 { queue.append(notification(number)) }
        #expect(queue.count == 3)
        #expect((0..<5).map { _ in text(queue.next()) } == ["listening true", "97", "98", "99", "none"])
    }

    @Test("is fresh once the consumer has dealt with what came before the mark, not sooner")
    func marks() {
        var queue = NotificationQueue(capacity: 3)
        queue.append(notification(1))
        queue.mark(start, isAwaited: false)
        #expect(queue.heardAt == nil)
        _ = queue.next()
        #expect(queue.heardAt == nil, "it was handed out, but may not have been dealt with")
        queue.append(notification(2))
        _ = queue.next()
        #expect(queue.heardAt == start)
        queue.mark(start + .seconds(1), isAwaited: false)
        queue.mark(start + .seconds(2), isAwaited: false)
        #expect(queue.heardAt == start)
        #expect(text(queue.next()) == "none")
        #expect(queue.heardAt == start + .seconds(2))
        queue.mark(start + .seconds(3), isAwaited: true)
        #expect(queue.heardAt == start + .seconds(3))
    }

    @Test("is not fresh before the consumer has dealt with the news that something was dropped")
    func marksAndOverflow() {
        var queue = NotificationQueue(capacity: 1)
        queue.append(notification(1))
        queue.mark(start, isAwaited: false)
        queue.append(notification(2))
        #expect(text(queue.next()) == "listening true")
        #expect(queue.heardAt == nil)
        #expect(text(queue.next()) == "2")
        #expect(queue.heardAt == start)
    }

    @Test("is not fresh while interrupted")
    func interrupted() {
        var queue = NotificationQueue(capacity: 3)
        queue.mark(start, isAwaited: true)
        #expect(queue.heardAt == start)
        queue.append(notification(1))
        queue.mark(start + .seconds(1), isAwaited: false)
        queue.append(.interrupted(PostgresError(.connectionLost)))
        #expect(queue.heardAt == nil)
        while queue.next() != nil {}
        #expect(queue.heardAt == nil)
    }
}
