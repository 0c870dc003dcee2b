import HTTPServer
import Logging
import ServiceLifecycle

/// The address on which metrics are served apart from the service.
struct ListenerAddress: Sendable, Equatable {
    let host: String
    let port: Int

    /// Reads `127.0.0.1:9100`, `[::1]:9100` or `metrics.internal:9100`.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port
    }

    var probe: ListenerProbe {
        ListenerProbe(host: host, port: port, hostSetting: "--metrics-address", portSetting: "--metrics-address")
    }

    /// The address as the start of a URL's path expects it.
    func text(port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// Serves the metrics, and no other path, on an address of their own.
struct MetricsListener: Service {
    let address: ListenerAddress
    let endpoint: Endpoint
    /// Writes the bodies of errors; it gets no calls.
    let handler: any RequestHandler
    let logger: Logger

    func run() async throws {
        var configuration = HTTPConfiguration()
        configuration.host = address.host
        configuration.port = address.port
        let address = address
        let server = HTTPServer(
            configuration: configuration, handler: handler, endpoints: [endpoint], hasCalls: false, logger: logger,
            onListening: { port in printLine("Metrics on http://\(address.text(port: port))/metrics") })
        do {
            try await server.run()
        } catch {
            try address.probe.check()
            throw CommandError("--metrics-address: cannot serve on \(address.text(port: address.port)): \(error)")
        }
    }
}
