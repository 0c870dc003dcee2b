import Dispatch
import Glibc

/// SIGTERM and SIGINT, which ask the server to come to an end, for as long as this is kept.
struct StopSignals: ~Copyable {
    private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGTERM, SIGINT].map { number in
            // Otherwise the process would end before anyone hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: stop)
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
