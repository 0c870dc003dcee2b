import HTTPServer
import ServiceLifecycle

/// Assures the service manager that the server works, as long as every event loop that serves connections takes tasks. A
/// manager that hears nothing for its interval starts the server again.
struct WatchdogService: Service {
    let manager: ServiceManager
    let interval: Duration
    let server: HTTPServer

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Does not return while a loop is stuck; the loops of a server that starts or ends are not asked.
                await server.visitEventLoops()
                manager.works()
                // Three times as often as necessary, because a busy machine may delay the next one.
                do { try await Task.sleep(for: interval / 3) } catch { return }
            }
        }
    }
}
