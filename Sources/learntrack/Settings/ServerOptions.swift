import ArgumentParser
import Foundation
import HTTPServer
import QueryCompiler
import RPCServer

/// The settings of the HTTP server and its limits.
struct ServerOptions: ParsableArguments {
    @Option(name: Settings.host.flag, help: Settings.host.help) var host: String?
    @Option(name: Settings.port.flag, help: Settings.port.help) var port: String?
    @Option(name: Settings.requestTimeout.flag, help: Settings.requestTimeout.help) var requestTimeout: String?
    @Option(name: Settings.maxBody.flag, help: Settings.maxBody.help) var maxBody: String?
    @Option(name: Settings.maxJSONDepth.flag, help: Settings.maxJSONDepth.help) var maxJSONDepth: String?
    @Option(name: Settings.maxBatch.flag, help: Settings.maxBatch.help) var maxBatch: String?
    @Option(name: Settings.maxSelectionDepth.flag, help: Settings.maxSelectionDepth.help)
    var maxSelectionDepth: String?
    @Option(name: Settings.maxCost.flag, help: Settings.maxCost.help) var maxCost: String?
    @Option(name: Settings.maxFirst.flag, help: Settings.maxFirst.help) var maxFirst: String?
    @Option(name: Settings.corsOrigins.flag, help: Settings.corsOrigins.help) var corsOrigins: String?
    @Option(name: Settings.trustedProxies.flag, help: Settings.trustedProxies.help) var trustedProxies: String?

    func http() throws -> HTTPConfiguration {
        var configuration = HTTPConfiguration()
        configuration.host = try Settings.host.value(host)
        configuration.port = try Settings.port.value(port)
        configuration.maxBodyBytes = try Settings.maxBody.value(maxBody)
        configuration.requestDeadline = try Settings.requestTimeout.value(requestTimeout)
        configuration.allowedOrigins = try Settings.corsOrigins.value(corsOrigins)
        configuration.trustedProxies = try Settings.trustedProxies.value(trustedProxies)
        return configuration
    }

    /// The address of the server as the settings give it; port 0 is not resolved.
    func url() throws -> String {
        let host = try Settings.host.value(host)
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(try Settings.port.value(port))"
    }

    func envelope() throws -> EnvelopeLimits {
        EnvelopeLimits(
            depth: try Settings.maxJSONDepth.value(maxJSONDepth), batch: try Settings.maxBatch.value(maxBatch))
    }

    func limits() throws -> Limits {
        let maxFirst = try Settings.maxFirst.value(maxFirst)
        // Larger than the values of any body, even when each variable is used several times.
        let values = 4 * min(try Settings.maxBody.value(maxBody), 1 << 40)
        return Limits(
            selectionDepth: try Settings.maxSelectionDepth.value(maxSelectionDepth),
            cost: try Settings.maxCost.value(maxCost), defaultFirst: min(Limits().defaultFirst, maxFirst),
            maxFirst: maxFirst, parameterBytes: max(Limits().parameterBytes, values))
    }
}
