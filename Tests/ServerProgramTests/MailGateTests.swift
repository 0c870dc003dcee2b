import DomainKit
import RPCServer
import Testing

@testable import ServerProgram

/// mends.md, 3: "What concerns the message alone may end it; all else waits for days."
@Suite struct MailGateTests {
    private static let denied = MailGate.Fault(cause: .server, description: "550 5.7.1")
    private static let start = ContinuousClock.now

    private static func doubt(_ gate: MailGate, _ recipient: String, after seconds: Int) -> MailGate.Doubt {
        gate.doubt(denied, of: recipient, hasTried: false, at: start + .seconds(seconds))
    }

    private static func isClosed(_ gate: MailGate) -> Bool {
        do throws(DeliveryError) {
            _ = try gate.enter()
            return false
        } catch {
            return true
        }
    }

    @Test func `a mail that alone meets a doubtful refusal is tried for a quarter of an hour, and holds up no other`() {
        let gate = MailGate()
        for seconds in [0, 2, 60, 890] { #expect(Self.doubt(gate, "anne", after: seconds) == .unknown) }
        #expect(!Self.isClosed(gate))
        #expect(Self.doubt(gate, "anne", after: 900) == .refused)
    }

    @Test func `a doubtful refusal ends its mail when another one was taken since`() {
        let gate = MailGate()
        #expect(Self.doubt(gate, "anne", after: 0) == .unknown)
        #expect(!gate.open(hasTaken: true, at: Self.start + .seconds(1)))
        #expect(Self.doubt(gate, "anne", after: 2) == .refused)
        // What was taken before says nothing: the account may have been blocked since.
        #expect(Self.doubt(gate, "bruno", after: 3) == .unknown)
    }

    @Test func `the same refusal of a second recipient is about all mails`() {
        let gate = MailGate()
        #expect(Self.doubt(gate, "anne", after: 0) == .unknown)
        #expect(Self.doubt(gate, "bruno", after: 1) == .common(pause: .seconds(1), isFirst: true))
        #expect(Self.isClosed(gate))
        // The mail that tries meets it again.
        #expect(
            gate.doubt(Self.denied, of: "anne", hasTried: true, at: Self.start + .seconds(3))
                == .common(pause: .seconds(2), isFirst: false))
        // When a mail is taken, both have met it for themselves.
        #expect(gate.open(hasTaken: true, at: Self.start + .seconds(5)))
        #expect(Self.doubt(gate, "anne", after: 6) == .refused)
        #expect(Self.doubt(gate, "bruno", after: 6) == .refused)
        #expect(!Self.isClosed(gate))
    }

    @Test func `when somebody asks for it, the next mail tries before the pause ends`() throws {
        let gate = MailGate()
        let fault = MailGate.Fault(cause: .connection, description: "refused")
        _ = gate.close(for: fault, hasTried: false)
        #expect(Self.isClosed(gate))
        gate.knock()
        #expect(try gate.enter())
        // One at a time, as always.
        #expect(Self.isClosed(gate))
    }

    @Test func `refusals that differ are not the same, and a refusal after another fault opens the gate`() {
        let gate = MailGate()
        #expect(Self.doubt(gate, "anne", after: 0) == .unknown)
        let other = MailGate.Fault(cause: .server, description: "550 5.7.27")
        #expect(gate.doubt(other, of: "bruno", hasTried: false) == .unknown)
        _ = gate.close(for: .init(cause: .login, description: "535"), hasTried: false)
        #expect(Self.isClosed(gate))
        #expect(gate.doubt(other, of: "bruno", hasTried: true) == .unknown)
        #expect(!Self.isClosed(gate))
    }
}
