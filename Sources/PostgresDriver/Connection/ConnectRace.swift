import CLibPQ
import Glibc

/// Attempts to connect of which the first to succeed wins. An attempt whose packets were swallowed would wait for its
/// timeout though the server has long been back; so another joins after a while. Blocks.
struct ConnectRace {
    private static let headStart: Duration = .milliseconds(800)

    private struct Attempt {
        let handle: LibPQConnection
        var step = PGRES_POLLING_WRITING

        /// The descriptor may be another one at each step (several hosts, a second try without TLS).
        var interest: pollfd {
            let events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT
            return pollfd(fd: PQsocket(handle.raw), events: Int16(events), revents: 0)
        }
    }

    private let deadline: ContinuousClock.Instant
    private let start: () -> LibPQConnection?
    private var attempts: [Attempt] = []
    private var lastFailure: ConnectError?

    init(deadline: ContinuousClock.Instant, start: @escaping () -> LibPQConnection?) {
        self.deadline = deadline
        self.start = start
    }

    mutating func run() throws(ConnectError) -> LibPQConnection {
        var nextStart = ContinuousClock.now
        while true {
            let now = ContinuousClock.now
            guard now < deadline else {
                throw lastFailure ?? .init(cause: "no answer to the attempt to connect in time")
            }
            if now >= nextStart {
                guard let handle = start() else { throw .init(cause: "out of memory") }
                attempts.append(Attempt(handle: handle))
                nextStart = now + Self.headStart
                if PQstatus(handle.raw) == CONNECTION_BAD { try fail(attempts.count - 1) }
            }
            if let winner = try advance(until: min(deadline, nextStart)) { return winner }
        }
    }

    /// Waits for one of the attempts to have news, and takes those further that have.
    private mutating func advance(until: ContinuousClock.Instant) throws(ConnectError) -> LibPQConnection? {
        var interests = attempts.map(\.interest)
        let left = ContinuousClock.now.duration(to: until) / .milliseconds(1)
        let count = poll(&interests, nfds_t(interests.count), Int32(clamping: Int(max(0, left)) + 1))
        guard count >= 0 || errno == EINTR else { throw .init(cause: "poll failed: errno \(errno)") }
        guard count > 0 else { return nil }
        for index in interests.indices.reversed() where interests[index].revents != 0 {
            attempts[index].step = PQconnectPoll(attempts[index].handle.raw)
            switch attempts[index].step {
            case PGRES_POLLING_OK: return attempts[index].handle
            case PGRES_POLLING_FAILED: try fail(index)
            default: break
            }
        }
        return nil
    }

    /// A refusal is everyone's, unless an older attempt has come further: it may be what fills the server.
    private mutating func fail(_ index: Int) throws(ConnectError) {
        let failure = ConnectError(attempts[index].handle.raw)
        attempts.remove(at: index)
        guard !attempts.isEmpty else { throw failure }
        lastFailure = failure
    }
}
