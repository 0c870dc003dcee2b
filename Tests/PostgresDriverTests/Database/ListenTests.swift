import Glibc
import PostgresDriver
import Synchronization
import TestPostgres
import TestSupport
import Testing

@Suite("Listening to notifications")
struct ListenTests {
    @Test("all of them come, in order, with channel, payload and sender")
    func delivery() async throws {
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

    @Test("its connection is none of the pool's; a name that cannot be one is refused")
    func apart() async throws {
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

    @Test("a lost connection comes back by itself and says that something may have been missed")
    func comesBack() async throws {
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

    @Test("a server that is stopped is waited for")
    func stopped() async throws {
        let cluster = try await TestCluster.start()
        let database = try await TestDatabase.create(migrated: false, on: cluster)
        let client = PostgresClient(.init(connectionString: database.connectionString))
        let notifications = try client.listen(
            to: ["c"], heartbeat: .milliseconds(100), answerWithin: .milliseconds(500))
        let heard = Heard(notifications)
        try await heard.wait(for: ["listening false"])
        try await cluster.stop()
        try await heard.wait(for: ["listening false", "interrupted"])
        #expect(notifications.heardAt == nil)
        try await cluster.startAgain()
        try await heard.wait(for: ["listening false", "interrupted", "listening true"])

        // A frozen backend keeps its connection open and says nothing.
        try await eventually("it is fresh again") { notifications.heardAt != nil }
        let frozen = try await #require(pid_t(database.psql(TestDatabase.listeningBackend)))
        #expect(kill(frozen, SIGSTOP) == 0)
        try await heard.wait(
            for: ["listening false", "interrupted", "listening true", "interrupted", "listening true"])
        kill(frozen, SIGCONT)
        try await database.psql("SELECT pg_notify('c', 'after')")
        try await eventually("it hears") { heard.events.last == "after" }
        heard.stop()
        await client.shutdown()
        try await cluster.stop()
    }

    @Test("what was committed before `heardAt` has been dealt with")
    func freshness() async throws {
        try await withClient { client, database in
            let notifications = try client.listen(to: ["c"], heartbeat: .milliseconds(30))
            #expect(notifications.heardAt == nil)
            let heard = Heard(notifications)
            // What is committed before it listens reaches nobody.
            try await eventually("it listens") { notifications.heardAt != nil }
            for number in 0..<40 {
                _ = try await client.query(Statement("SELECT pg_notify('c', $1)"), [.text("\(number)")])
                let committed = ContinuousClock.now
                try await eventually("it is fresh") { notifications.heardAt.map { $0 > committed } ?? false }
                #expect(heard.events.last == "\(number)")
            }
            heard.stop()
            try await eventually("it is not fresh after its end") { notifications.heardAt == nil }
        }
    }

    @Test("a consumer that is too slow loses the oldest and is told so")
    func slow() async throws {
        try await withClient { client, database in
            let notifications = try client.listen(to: ["c"], heartbeat: .milliseconds(30), capacity: 4)
            try await eventually("it listens") { try await database.listeners() == 1 }
            var iterator = notifications.makeAsyncIterator()
            guard case .listening(false)? = await iterator.next() else { return #expect(Bool(false), "no beginning") }
            _ = try await client.query(
                Statement("SELECT pg_notify('c', i::text)::text FROM generate_series(1, 1000) i"))
            // The server has sent them all when its answer to a later heartbeat is there, which nobody sees yet.
            try await eventually("they are delivered") {
                try await database.backends(
                    where:
                        "application_name = 'swift listener' AND query = '' AND state_change > (SELECT max(state_change) FROM pg_stat_activity WHERE application_name = 'swift' AND datname = '\(database.name)')"
                ) == 1
            }
            var events: [String] = []
            while events.last != "1000", let event = await iterator.next() { events.append(event.text) }
            #expect(events == ["listening true", "997", "998", "999", "1000"])
        }
    }

    @Test("it ends with its loop, its task, its client and its last holder, and leaves no connection behind")
    func ends() async throws {
        try await withClient { client, database in
            for await _ in try client.listen(to: ["loop"]) { break }
            try await eventually("left") { try await database.listeners() == 0 }

            let notifications = try client.listen(to: ["task"])
            let task = Task { for await _ in notifications {} }
            try await eventually("it listens") { try await database.listeners() == 1 }
            task.cancel()
            await task.value
            try await eventually("cancelled") { try await database.listeners() == 0 }
            for await _ in notifications { Issue.record("it was iterated before") }

            var kept: Notifications? = try client.listen(to: ["kept"])
            try await eventually("it listens") { try await database.listeners() == 1 && kept != nil }
            kept = nil
            try await eventually("released") { try await database.listeners() == 0 }

            let other = PostgresClient(.init(connectionString: database.connectionString))
            let last = Heard(try other.listen(to: ["client"]))
            try await last.wait(for: ["listening false"])
            await other.shutdown()
            try await last.waitForEnd()
            try await eventually("shut down") { try await database.listeners() == 0 }
            for await _ in try other.listen(to: ["late"]) { Issue.record("the client was shut down") }
        }
    }

    @Test("another way to the database may be given")
    func otherWay() async throws {
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

/// Consumes a sequence in a task and keeps what came.
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
        try await eventually("it hears \(expected.last ?? "")", sourceLocation: sourceLocation) {
            events.count >= expected.count
        }
        #expect(events == expected, sourceLocation: sourceLocation)
    }

    func waitForEnd() async throws {
        try await eventually("it ends") { hasEnded.withLock { $0 } }
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
