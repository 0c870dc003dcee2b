import Dispatch
import Glibc
import HTTPServer
import Logging
import ServiceLifecycle

/// Takes a renewed certificate: within seconds, and at once on SIGHUP. Without a certificate SIGHUP changes nothing, so that a
/// reload by the service manager does not end the server.
struct ReloadService: Service {
    let certificate: ServerCertificate?
    let manager: ServiceManager
    let logger: Logger

    func run() async throws {
        let signal = HangupSignal {
            manager.reloading {
                if let certificate {
                    certificate.refresh(isAsked: true, logger)
                } else {
                    logger.notice("SIGHUP: there is no certificate to take")
                }
            }
        }
        if let certificate {
            await cancelWhenGracefulShutdown { await certificate.follow(logger) }
        } else {
            try await gracefulShutdown()
        }
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
