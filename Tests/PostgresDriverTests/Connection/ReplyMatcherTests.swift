import Testing

@testable import PostgresDriver

struct ReplyMatcherTests {
    typealias Reply = ReplyMatcher<String>.Reply

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The names of the commands; a bar stands for a Sync.
        let sent: [String]
        let replies: [Reply]
        let actions: [String]
    }

    static let cases = [
        Case(
            testDescription: "one command", sent: ["a", "|"], replies: [.success, .end, .sync],
            actions: ["ok a", "-", "sync"]),
        Case(
            testDescription: "two commands under one Sync", sent: ["a", "b", "|"],
            replies: [.success, .end, .success, .end, .sync], actions: ["ok a", "-", "ok b", "-", "sync"]),
        Case(
            testDescription: "a failure skips the rest up to its Sync only",
            sent: ["a", "b", "c", "|", "d", "|"],
            replies: [.success, .end, .failure, .end, .skipped, .end, .sync, .success, .end, .sync],
            actions: ["ok a", "-", "failed b", "-", "skipped c", "-", "sync", "ok d", "-", "sync"]),
        Case(
            testDescription: "a failure at the Sync itself", sent: ["a", "|", "b", "|"],
            replies: [.success, .end, .failure, .end, .sync, .success, .end, .sync],
            actions: ["ok a", "-", "failed at sync", "-", "sync", "ok b", "-", "sync"]),
        Case(
            testDescription: "two failures in two batches", sent: ["a", "|", "b", "|"],
            replies: [.failure, .end, .sync, .failure, .end, .sync],
            actions: ["failed a", "-", "sync", "failed b", "-", "sync"]),
        Case(testDescription: "an empty batch", sent: ["|"], replies: [.sync], actions: ["sync"]),
        Case(testDescription: "a reply without a command", sent: [], replies: [.success], actions: ["violation"]),
        Case(
            testDescription: "two replies to one command", sent: ["a", "|"], replies: [.success, .success],
            actions: ["ok a", "violation"]),
        Case(
            testDescription: "a Sync instead of a reply", sent: ["a", "|"], replies: [.sync],
            actions: ["violation"]),
        Case(testDescription: "an end without a reply", sent: ["a", "|"], replies: [.end], actions: ["violation"]),
        Case(
            testDescription: "a command skipped without a failure", sent: ["a", "|"], replies: [.skipped],
            actions: ["violation"]),
        Case(
            testDescription: "a success after a failure", sent: ["a", "b", "|"], replies: [.failure, .end, .success],
            actions: ["failed a", "-", "violation"]),
        Case(
            testDescription: "a second failure before the Sync", sent: ["a", "b", "|"],
            replies: [.failure, .end, .failure], actions: ["failed a", "-", "violation"]),
        Case(
            testDescription: "a success instead of a Sync", sent: ["a", "|"], replies: [.success, .end, .success],
            actions: ["ok a", "-", "violation"]),
    ]

    @Test(arguments: cases)
    func `replies are matched to commands in order`(_ example: Case) {
        var matcher = ReplyMatcher<String>()
        for name in example.sent {
            if name == "|" { matcher.sentSync() } else { matcher.sent(name) }
        }
        #expect(example.replies.map { Self.name(of: matcher.receive($0)) } == example.actions)
    }

    @Test func `the matcher waits until the last Sync is answered and knows the current command`() {
        var matcher = ReplyMatcher<String>()
        #expect(!matcher.isWaiting)
        matcher.sent("a")
        matcher.sentSync()
        #expect(matcher.isWaiting)
        #expect(matcher.head == "a")
        _ = matcher.receive(.success)
        #expect(matcher.head == nil)
        _ = matcher.receive(.end)
        #expect(matcher.head == nil, "the server is ending the transaction")
        #expect(matcher.isWaiting)
        _ = matcher.receive(.sync)
        #expect(!matcher.isWaiting)
    }

    static func name(of action: ReplyMatcher<String>.Action) -> String {
        switch action {
        case .none: "-"
        case .succeeded(let name): "ok \(name)"
        case .failed(let name): "failed \(name)"
        case .skipped(let name): "skipped \(name)"
        case .synced: "sync"
        case .failedAtSync: "failed at sync"
        case .violation: "violation"
        }
    }
}
