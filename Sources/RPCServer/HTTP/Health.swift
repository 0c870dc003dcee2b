import NIOCore
import NIOHTTP1
import Synchronization

/// Whether the server can do its work, and if not, why.
package enum Readiness: Sendable, Equatable {
    case ready
    /// The reason goes to whoever asks `/health/ready`: a word or two, nothing secret.
    case notReady(String)
}

extension Endpoint {
    /// `GET /health/live`: 200 while the process serves.
    package static let live = Endpoint("/health/live", fixed: .health(.ok, "{\"status\":\"ok\"}"))

    /// `GET /health/ready`: 200 or 503 as `check` says, 503 when it has not said so after `deadline`.
    package static func ready(
        deadline: Duration = .seconds(2), _ check: @escaping @Sendable () async -> Readiness
    ) -> Endpoint {
        Endpoint("/health/ready") {
            switch await FirstAnswer.of(check, orAfter: deadline, .notReady("timeout")) {
            case .ready: return .health(.ok, "{\"status\":\"ok\"}")
            case .notReady(let reason):
                var body = ByteBuffer(string: "{\"status\":\"unavailable\",\"reason\":")
                body.writeJSONString(reason)
                body.writeStaticString("}")
                return .health(.serviceUnavailable, String(buffer: body))
            }
        }
    }
}

extension HTTPReply {
    fileprivate static func health(_ status: HTTPResponseStatus, _ json: String) -> HTTPReply {
        HTTPReply(
            status: status, contentType: "application/json", body: ByteBuffer(string: json),
            headers: [(name: "Cache-Control", value: "no-store")])
    }
}

/// Lets the first of two answers win without waiting for the other, which a task group would.
private enum FirstAnswer {
    static func of<Answer: Sendable>(
        _ operation: @escaping @Sendable () async -> Answer, orAfter deadline: Duration, _ fallback: Answer
    ) async -> Answer {
        let race = Race<Answer>()
        let work = Task { race.settle(await operation()) }
        let clock = Task {
            // Being cancelled is the only way sleeping fails, and then the race is over.
            do { try await Task.sleep(for: deadline) } catch { return }
            race.settle(fallback)
        }
        let answer = await withCheckedContinuation { race.await($0) }
        work.cancel()
        clock.cancel()
        return answer
    }

    private final class Race<Answer: Sendable>: Sendable {
        private enum State {
            case open
            case awaited(CheckedContinuation<Answer, Never>)
            case settled(Answer)
            case over
        }

        private let state = Mutex(State.open)

        func settle(_ answer: Answer) {
            let waiting: CheckedContinuation<Answer, Never>? = state.withLock { state in
                switch state {
                case .open:
                    state = .settled(answer)
                    return nil
                case .awaited(let continuation):
                    state = .over
                    return continuation
                case .settled, .over: return nil
                }
            }
            waiting?.resume(returning: answer)
        }

        func await(_ continuation: CheckedContinuation<Answer, Never>) {
            let answer: Answer? = state.withLock { state in
                if case .settled(let answer) = state {
                    state = .over
                    return answer
                }
                state = .awaited(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
