import Glibc
import PostgresDriver
import Synchronization
import TestPostgres
import TestSupport
import Testing

struct ListenTests {
    @Test func `notifications arrive in order, with channel, payload and sender`() async throws {
        try await withClient { client, database in
            let odd = "Ünd \"so\"; weiter " + String(repeating: "x", count: 44)
            let heard = Heard(try client.listen(to: ["plain", odd]))
            try await heard.wait(for: ["listening false"])
            let payload = String(repeating: "é", count: 3_999)
            let rows = try await client.query(
                Statement(
                    "SELECT pg_backend_pid()::text, pg_notify('plain', 'one')::text, pg_notify($1, $2)::text, pg_notify('PLAIN', '')::text"
                ), [.text(odd), .text(payload)])
            try await heard.wait(for: ["listening false", "one", payload])
            #expect(heard.channels == ["plain", odd])
            #expect(heard.senders.map { "\($0)" } == [rows.text(0, 0), rows.text(0, 0)])
            heard.stop()
        }
    }

    @Test func `listening takes no connection of the pool and rejects invalid names`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            #expect(try await failure { try client.listen(to: ["a\0"]) }.kind == .invalidParameter)
            try await client.withConnection { connection in
                let heard = Heard(try client.listen(to: ["c"]))
                try await heard.wait(for: ["listening false"])
                _ = try await connection.query(Statement("SELECT pg_notify('c', 'here')"))
                try await heard.wait(for: ["listening false", "here"])
                heard.stop()
            }
        }
    }

    @Test func `a lost connection is replaced, and the consumer learns that it may have missed something`() async throws
    {
        try await withClient { client, database in
            let heard = Heard(try client.listen(to: ["c"]))
            var expected = ["listening false"]
            for round in 0..<3 {
                try await heard.wait(for: expected)
                try await database.psql("SELECT pg_notify('c', 'before \(round)')")
                expected.append("before \(round)")
                try await heard.wait(for: expected)
                try await database.endListeners()
                expected += ["interrupted", "listening true"]
                try await heard.wait(for: expected)
            }
            #expect(try await database.listeners() == 1)
            heard.stop()
        }
    }

    @Test func `listening resumes after the server was stopped or a backend froze`() async throws {
        let cluster = try await TestCluster.start()
        let database = try await TestDatabase.create(migrated: false, on: cluster)
        let client = PostgresClient(.init(connectionString: database.connectionString))
        let notifications = try client.listen(
            to: ["c"], heartbeat: .milliseconds(100), heartbeatTimeout: .milliseconds(500))
        let heard = Heard(notifications)
        try await heard.wait(for: ["listening false"])
        try await cluster.stop()
        try await heard.wait(for: ["listening false", "interrupted"])
        #expect(notifications.upToDateAsOf == nil)
        try await cluster.startAgain()
        try await heard.wait(for: ["listening false", "interrupted", "listening true"])

        // A frozen backend keeps its connection open and does not answer.
        try await eventually("the notifications are up to date again") { notifications.upToDateAsOf != nil }
        let frozen = try await #require(pid_t(database.psql(TestDatabase.listeningBackend)))
        #expect(kill(frozen, SIGSTOP) == 0)
        try await heard.wait(
            for: ["listening false", "interrupted", "listening true", "interrupted", "listening true"])
        kill(frozen, SIGCONT)
        try await database.psql("SELECT pg_notify('c', 'after')")
        try await eventually("the notification arrives") { heard.events.last == "after" }
        heard.stop()
        await client.shutdown()
        try await cluster.stop()
    }

    @Test func `everything committed before upToDateAsOf has been processed`() async throws {
        try await withClient { client, database in
            let notifications = try client.listen(to: ["c"], heartbeat: .milliseconds(30))
            #expect(notifications.upToDateAsOf == nil)
            let heard = Heard(notifications)
            // Notifications that are committed before the LISTEN are not delivered.
            try await eventually("the listener is connected") { notifications.upToDateAsOf != nil }
            for number in 0..<40 {
                _ = try await client.query(Statement("SELECT pg_notify('c', $1)"), [.text("\(number)")])
                let committed = ContinuousClock.now
                try await eventually("the notifications are up to date") {
                    notifications.upToDateAsOf.map { $0 > committed } ?? false
                }
                #expect(heard.events.last == "\(number)")
            }
            heard.stop()
            try await eventually("the sequence is not up to date after its end") { notifications.upToDateAsOf == nil }
        }
    }

    @Test func `a slow consumer loses the oldest events and learns that it may have missed some`() async throws {
        try await withClient { client, database in
            let notifications = try client.listen(to: ["c"], heartbeat: .milliseconds(30), capacity: 4)
            try await eventually("the listener is connected") { try await database.listeners() == 1 }
            var iterator = notifications.makeAsyncIterator()
            guard case .listening(false)? = await iterator.next() else { return #expect(Bool(false), "no beginning") }
            _ = try await client.query(
                Statement("SELECT pg_notify('c', i::text)::text FROM generate_series(1, 1000) i"))
            // The server answers a heartbeat after it has sent the notifications of earlier transactions. The driver may still have
            // to read them.
            try await eventually("they are sent") {
                try await database.backends(
                    where:
                        "application_name = 'swift listener' AND query = '' AND state_change > (SELECT max(state_change) FROM pg_stat_activity WHERE application_name = 'swift' AND datname = '\(database.name)')"
                ) == 1
            }
            var events: [String] = []
            while events.last != "1000", let event = await iterator.next() { events.append(event.text) }
            #expect(events.contains("listening true"))
            #expect(events.count < 100, "most notifications were dropped")
            // Every gap is announced.
            var (previous, isAnnounced) = (0, false)
            for event in events {
                if let number = Int(event) {
                    #expect(number > previous && (number == previous + 1 || isAnnounced), "\(events)")
                    (previous, isAnnounced) = (number, false)
                } else {
                    #expect(event == "listening true")
                    isAnnounced = true
                }
            }
        }
    }

    @Test func `listening ends with its loop, its task, its client and its last reference`() async throws {
        try await withClient { client, database in
            for await _ in try client.listen(to: ["loop"]) { break }
            try await eventually("the connection is closed after the loop") { try await database.listeners() == 0 }

            let notifications = try client.listen(to: ["task"])
            let task = Task { for await _ in notifications {} }
            try await eventually("the listener is connected") { try await database.listeners() == 1 }
            task.cancel()
            await task.value
            try await eventually("the connection is closed after the cancellation") {
                try await database.listeners() == 0
            }
            for await _ in notifications { Issue.record("a second iteration must end at once") }

            var kept: Notifications? = try client.listen(to: ["kept"])
            try await eventually("the listener is connected") { try await database.listeners() == 1 && kept != nil }
            kept = nil
            try await eventually("the connection is closed after the release") { try await database.listeners() == 0 }

            let other = PostgresClient(.init(connectionString: database.connectionString))
            let last = Heard(try other.listen(to: ["client"]))
            try await last.wait(for: ["listening false"])
            await other.shutdown()
            try await last.waitForEnd()
            try await eventually("the connection is closed after the shutdown") { try await database.listeners() == 0 }
            for await _ in try other.listen(to: ["late"]) {
                Issue.record("a client that was shut down must not listen")
            }
        }
    }

    @Test func `listening uses listenConnectionString when it is set`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var configuration = PostgresClient.Configuration(connectionString: "host=/nowhere")
            configuration.listenConnectionString = database.connectionString
            configuration.role = "no such role"
            let client = PostgresClient(configuration)
            let heard = Heard(try client.listen(to: ["c"]))
            try await heard.wait(for: ["listening false"])
            heard.stop()
            await client.shutdown()
        }
    }
}

/// Consumes a sequence in a task and keeps its events.
final class Heard: Sendable {
    private let all = Mutex<[ListenEvent]>([])
    private let hasEnded = Mutex(false)
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ notifications: Notifications) {
        let task = Task { [self] in
            for await event in notifications { all.withLock { $0.append(event) } }
            hasEnded.withLock { $0 = true }
        }
        self.task.withLock { $0 = task }
    }

    var events: [String] { all.withLock { $0.map(\.text) } }

    var channels: [String] {
        all.withLock { $0.compactMap { if case .notification(let it) = $0 { it.channel } else { nil } } }
    }

    var senders: [Int32] {
        all.withLock { $0.compactMap { if case .notification(let it) = $0 { it.senderProcessID } else { nil } } }
    }

    func wait(for expected: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("the event arrives: \(expected.last ?? "")", sourceLocation: sourceLocation) {
            events.count >= expected.count
        }
        #expect(events == expected, sourceLocation: sourceLocation)
    }

    func waitForEnd() async throws {
        try await eventually("the sequence ends") { hasEnded.withLock { $0 } }
    }

    func stop() { task.withLock { $0?.cancel() } }
}

extension ListenEvent {
    fileprivate var text: String {
        switch self {
        case .listening(let mayHaveMissed): "listening \(mayHaveMissed)"
        case .notification(let notification): notification.payload
        case .interrupted: "interrupted"
        }
    }
}

extension TestDatabase {
    fileprivate static let listeningBackend =
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'swift listener'"

    fileprivate func listeners() async throws -> Int {
        try await backends(where: "application_name = 'swift listener'")
    }

    fileprivate func endListeners() async throws {
        try await psql("SELECT count(pg_terminate_backend(pid)) FROM (\(Self.listeningBackend)) AS own")
    }
}
