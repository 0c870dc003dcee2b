import Testing

@testable import PostgresDriver

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

    @Test func `events leave in the order in which they came`() {
        var queue = NotificationQueue(capacity: 3)
        queue.append(.listening(mayHaveMissed: false))
        queue.append(notification(1))
        #expect([text(queue.next()), text(queue.next()), text(queue.next())] == ["listening false", "1", "none"])
    }

    @Test func `a full queue drops the oldest events and says so first`() {
        var queue = NotificationQueue(capacity: 3)
        for number in 0..<100 { queue.append(notification(number)) }
        #expect(queue.count == 3)
        #expect((0..<5).map { _ in text(queue.next()) } == ["listening true", "97", "98", "99", "none"])
    }

    @Test func `a mark takes effect once the consumer has processed the events before it`() {
        var queue = NotificationQueue(capacity: 3)
        queue.append(notification(1))
        queue.mark(start, consumerIsWaiting: false)
        #expect(queue.upToDateAsOf == nil)
        _ = queue.next()
        #expect(queue.upToDateAsOf == nil, "the event was taken, but may not have been processed yet")
        queue.append(notification(2))
        _ = queue.next()
        #expect(queue.upToDateAsOf == start)
        queue.mark(start + .seconds(1), consumerIsWaiting: false)
        queue.mark(start + .seconds(2), consumerIsWaiting: false)
        #expect(queue.upToDateAsOf == start)
        #expect(text(queue.next()) == "none")
        #expect(queue.upToDateAsOf == start + .seconds(2))
        queue.mark(start + .seconds(3), consumerIsWaiting: true)
        #expect(queue.upToDateAsOf == start + .seconds(3))
    }

    @Test func `a mark takes no effect before the consumer knows that events were dropped`() {
        var queue = NotificationQueue(capacity: 1)
        queue.append(notification(1))
        queue.mark(start, consumerIsWaiting: false)
        queue.append(notification(2))
        #expect(text(queue.next()) == "listening true")
        #expect(queue.upToDateAsOf == nil)
        #expect(text(queue.next()) == "2")
        #expect(queue.upToDateAsOf == start)
    }

    @Test func `an interruption invalidates every mark`() {
        var queue = NotificationQueue(capacity: 3)
        queue.mark(start, consumerIsWaiting: true)
        #expect(queue.upToDateAsOf == start)
        queue.append(notification(1))
        queue.mark(start + .seconds(1), consumerIsWaiting: false)
        queue.append(.interrupted(PostgresError(.connectionLost)))
        #expect(queue.upToDateAsOf == nil)
        while queue.next() != nil {}
        #expect(queue.upToDateAsOf == nil)
    }
}

struct ChannelNameTests {
    @Test func `channel names are quoted and their quotes doubled`() throws {
        #expect(try ChannelName.quoted("orders") == "\"orders\"")
        #expect(try ChannelName.quoted("a\"; DROP TABLE t; --") == "\"a\"\"; DROP TABLE t; --\"")
        #expect(try ChannelName.listen(to: ["a", "É"]) == "LISTEN \"a\";LISTEN \"É\";")
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 64), String(repeating: "é", count: 32), "a\0b",
    ])
    func `names that the server would truncate or reject are rejected`(name: String) {
        #expect(throws: PostgresError.self) { try ChannelName.quoted(name) }
    }

    @Test func `a name may have 63 bytes, and at least one name is required`() throws {
        #expect(try ChannelName.quoted(String(repeating: "a", count: 63)).utf8.count == 65)
        #expect(throws: PostgresError.self) { try ChannelName.listen(to: []) }
    }
}
