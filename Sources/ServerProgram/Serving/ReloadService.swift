import Dispatch
import Glibc
import HTTPServer
import Logging
import Observability
import ServiceLifecycle

/// Takes a renewed certificate: within seconds, and at once on SIGHUP, which changes the level of the log, too. Without either
/// SIGHUP changes nothing, so that a reload by the service manager does not end the server.
struct ReloadService: Service {
    let certificate: ServerCertificate?
    let logLevelFile: LogLevelFile?
    let manager: ServiceManager
    let logs: Logs

    func run() async throws {
        let signal = HangupSignal { manager.reloading(reload) }
        if let certificate {
            await cancelWhenGracefulShutdown { await certificate.follow(logs.logger) }
        } else {
            try await gracefulShutdown()
        }
        extendLifetime(signal)
    }

    private func reload() {
        if let logLevelFile { changeLevel(by: logLevelFile) }
        certificate?.refresh(isAsked: true, logs.logger)
        guard certificate == nil, logLevelFile == nil else { return }
        logs.logger.notice("SIGHUP: there is no certificate and no --log-level-file to read")
    }

    private func changeLevel(by file: LogLevelFile) {
        do {
            let old = logs.threshold.level
            let new = try file.level()
            guard new != old else { return }
            logs.threshold.level = new
            // Written at every level, since it explains why lines begin or end.
            logs.writer.write(.notice, "The level of the log has changed") { line in
                line.add("new", new.rawValue)
                line.add("old", old.rawValue)
            }
        } catch {
            logs.logger.error("The level of the log was not changed", metadata: ["reason": "\(error)"])
        }
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
