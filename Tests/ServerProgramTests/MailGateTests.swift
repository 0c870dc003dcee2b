import DomainKit
import Outbox
import RPCServer
import Testing

@testable import ServerProgram

/// mends.md, 3: "What concerns the message alone may end it; all else waits for days."
@Suite struct MailGateTests {
    private static let denied = MailGate.Fault(cause: .server, description: "550 5.7.1")
    private static let login = MailGate.Fault(cause: .login, description: "535")
    private static let start = ContinuousClock.now

    /// An attempt that ends at once.
    private static func attempt(
        _ gate: MailGate, _ recipient: String, _ outcome: MailGate.Outcome, after seconds: Int
    ) throws -> MailGate.Verdict {
        let now = start + .seconds(seconds)
        return gate.leave(try gate.enter(recipient, at: now), recipient, outcome, at: now)
    }

    private static func isClosed(_ gate: MailGate, _ recipient: String, after seconds: Int) -> Bool {
        do throws(DeliveryError) {
            let now = start + .seconds(seconds)
            _ = gate.leave(try gate.enter(recipient, at: now), recipient, .interrupted, at: now)
            return false
        } catch {
            return true
        }
    }

    @Test func `a mail that alone meets a doubtful refusal is tried for a quarter of an hour, and holds up no other`()
        throws
    {
        let gate = MailGate()
        for seconds in [0, 2, 60, 890] {
            #expect(try Self.attempt(gate, "anne", .doubtful(Self.denied), after: seconds) == .unknown)
        }
        #expect(!Self.isClosed(gate, "bruno", after: 891))
        #expect(try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 900) == .message)
    }

    @Test func `a doubtful refusal ends its mail when another one was taken since`() throws {
        let gate = MailGate()
        #expect(try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 0) == .unknown)
        #expect(try Self.attempt(gate, "bruno", .taken, after: 1) == .open(hasOpened: false))
        #expect(try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 2) == .message)
        // What was taken before says nothing: the account may have been blocked since.
        #expect(try Self.attempt(gate, "bruno", .doubtful(Self.denied), after: 3) == .unknown)
    }

    @Test func `the same refusal of a second recipient is about all mails, until one is taken`() throws {
        let gate = MailGate()
        #expect(try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 0) == .unknown)
        #expect(
            try Self.attempt(gate, "bruno", .doubtful(Self.denied), after: 1)
                == .closed(pause: .seconds(1), isFirst: true))
        #expect(Self.isClosed(gate, "anne", after: 1))
        #expect(
            try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 3)
                == .closed(pause: .seconds(2), isFirst: false))
        #expect(try Self.attempt(gate, "carla", .taken, after: 4) == .open(hasOpened: true))
        // Both have met it for themselves. They say nothing about others for some time.
        for seconds in [6, 8, 500] {
            for recipient in ["anne", "bruno"] {
                #expect(try Self.attempt(gate, recipient, .doubtful(Self.denied), after: seconds) == .message)
            }
        }
        #expect(!Self.isClosed(gate, "denis", after: 501))
    }

    @Test func `who has not met a doubtful failure tries at once, and each that meets it makes the next wait longer`()
        throws
    {
        let gate = MailGate()
        _ = try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 0)
        var now = 0
        for (number, wait) in [0, 0, 1, 2, 4, 8].enumerated() {
            if wait > 0 { #expect(Self.isClosed(gate, "new \(number)", after: now + wait - 1)) }
            now += wait
            let verdict = try Self.attempt(gate, "new \(number)", .doubtful(Self.denied), after: now)
            guard case .closed = verdict else {
                Issue.record("\(number): \(verdict)")
                continue
            }
        }
    }

    @Test func `a failure of every mail holds up who has not met it as well`() throws {
        let gate = MailGate()
        #expect(
            try Self.attempt(gate, "anne", .common(Self.login), after: 0) == .closed(pause: .seconds(1), isFirst: true))
        #expect(Self.isClosed(gate, "bruno", after: 0))
        #expect(!Self.isClosed(gate, "bruno", after: 1))
    }

    @Test func `one mail at a time tries, until it has ended in any way or takes too long`() throws {
        for outcome in [
            MailGate.Outcome.interrupted, .common(Self.login), .doubtful(Self.denied), .doubtful(Self.login),
        ] {
            let gate = MailGate()
            _ = try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 0)
            _ = try Self.attempt(gate, "anne", .common(Self.login), after: 1)
            let pass = try gate.enter("anne", at: Self.start + .seconds(100))
            #expect(Self.isClosed(gate, "bruno", after: 100))
            _ = gate.leave(pass, "anne", outcome, at: Self.start + .seconds(101))
            #expect(!Self.isClosed(gate, "bruno", after: 110), "\(outcome)")
            _ = try gate.enter("anne", at: Self.start + .seconds(2_000))
            #expect(!Self.isClosed(gate, "bruno", after: 2_200))
        }
    }

    @Test func `mails that a server examines for long leave places to other messages`() throws {
        let gate = MailGate()
        let passes = try (0..<8).map { try gate.enter("anne \($0)", at: Self.start) }
        // As many as there are may be quick.
        #expect(!Self.isClosed(gate, "bruno", after: 29))
        #expect(Self.isClosed(gate, "bruno", after: 31))
        for pass in passes.prefix(3) { _ = gate.leave(pass, "anne", .taken, at: Self.start + .seconds(60)) }
        #expect(!Self.isClosed(gate, "bruno", after: 61))
    }

    @Test func `when somebody asks for it, the next mail tries before the pause ends`() throws {
        let gate = MailGate()
        let pass = try gate.enter("anne")
        _ = gate.leave(pass, "anne", .common(Self.login))
        _ = try gate.enter("anne", at: .now + .seconds(2))
        gate.knock()
        let trial = try gate.enter("bruno")
        // One at a time, as always.
        #expect(throws: DeliveryError.self) { try gate.enter("carla") }
        #expect(gate.leave(trial, "bruno", .taken) == .open(hasOpened: true))
    }

    @Test func `refusals that differ are not the same, and a doubtful one after another fault opens the gate`() throws {
        let gate = MailGate()
        #expect(try Self.attempt(gate, "anne", .doubtful(Self.denied), after: 0) == .unknown)
        let other = MailGate.Fault(cause: .server, description: "550 5.7.27")
        #expect(try Self.attempt(gate, "bruno", .doubtful(other), after: 0) == .unknown)
        _ = try Self.attempt(gate, "carla", .common(Self.login), after: 0)
        #expect(try Self.attempt(gate, "bruno", .doubtful(other), after: 2) == .unknown)
        #expect(!Self.isClosed(gate, "anne", after: 2))
    }
}
