import Outbox
import RPCServer
import Synchronization

/// Lets at most two requests at once go to a host, and none while the host has asked for a pause.
final class HostGate: Sendable {
    private struct Host {
        var active = 0
        var pausedUntil: ContinuousClock.Instant?
    }

    private static let maxActive = 2
    private let hosts = Mutex<[String: Host]>([:])

    /// - Throws: a deferral if the host has no place.
    func enter(_ name: String) throws(DeliveryError) {
        let pause: Duration? = hosts.withLock { hosts in
            var host = hosts[name] ?? Host()
            if let until = host.pausedUntil, until > .now { return until - .now }
            if host.active >= Self.maxActive { return .seconds(Double.random(in: 0.5...2)) }
            host.active += 1
            host.pausedUntil = nil
            hosts[name] = host
            return nil
        }
        if let pause { throw DeliveryError(.deferred(pause), nil, "the host has no place for a further request") }
    }

    func leave(_ name: String) {
        hosts.withLock { hosts in
            hosts[name]?.active -= 1
            if let host = hosts[name], host.active == 0, host.pausedUntil == nil { hosts[name] = nil }
        }
    }

    func pause(_ name: String, for time: Duration) {
        hosts.withLock { $0[name, default: Host()].pausedUntil = .now + time }
    }
}
