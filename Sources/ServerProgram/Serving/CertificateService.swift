import Dispatch
import Glibc
import HTTPServer
import Logging
import ServiceLifecycle

/// Takes a renewed certificate: within seconds, and at once on SIGHUP.
struct CertificateService: Service {
    let certificate: ServerCertificate
    let logger: Logger

    func run() async throws {
        let signal = HangupSignal { certificate.refresh(isAsked: true, logger) }
        await cancelWhenGracefulShutdown { await certificate.follow(logger) }
        extendLifetime(signal)
    }
}

/// Calls a function on SIGHUP as long as this value exists.
private struct HangupSignal: ~Copyable {
    private let source: any DispatchSourceSignal

    init(_ handler: @escaping @Sendable () -> Void) {
        // The default action would end the process before the source has seen the signal.
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP)
        source.setEventHandler(handler: handler)
        source.activate()
    }

    deinit { source.cancel() }
}
