import ArgumentParser
import Foundation
import QueryCompiler
import RPCServer

/// How `serve` serves.
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

    /// The address of what is served, as far as the settings tell.
    func place() throws -> String {
        let host = try Settings.host.value(host)
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(try Settings.port.value(port))"
    }

    func envelope() throws -> EnvelopeLimits {
        EnvelopeLimits(
            depth: try Settings.maxJSONDepth.value(maxJSONDepth), batch: try Settings.maxBatch.value(maxBatch))
    }

    func limits() throws -> Limits {
        let maxFirst = try Settings.maxFirst.value(maxFirst)
        // Whatever a body may bring, quotation marks and all; what a variable repeats counts each time.
        let values = 4 * min(try Settings.maxBody.value(maxBody), 1 << 40)
        return Limits(
            selectionDepth: try Settings.maxSelectionDepth.value(maxSelectionDepth),
            cost: try Settings.maxCost.value(maxCost), defaultFirst: min(Limits().defaultFirst, maxFirst),
            maxFirst: maxFirst, parameterBytes: max(Limits().parameterBytes, values))
    }
}

/// How `serve` uses its database.
struct PoolOptions: ParsableArguments {
    @Option(name: Settings.authDatabaseURL.flag, help: Settings.authDatabaseURL.help) var authDatabaseURL: String?
    @Option(name: Settings.pooler.flag, help: Settings.pooler.help) var pooler: String?
    @Option(name: Settings.listenURL.flag, help: Settings.listenURL.help) var listenURL: String?
    @Option(name: Settings.replicaURLs.flag, help: Settings.replicaURLs.help) var replicaURL: String?
    @Option(name: Settings.replicaMaxLag.flag, help: Settings.replicaMaxLag.help) var replicaMaxLag: String?
    @Option(name: Settings.poolSize.flag, help: Settings.poolSize.help) var poolSize: String?
    @Option(name: Settings.authPoolSize.flag, help: Settings.authPoolSize.help) var authPoolSize: String?
    @Option(name: Settings.acquireTimeout.flag, help: Settings.acquireTimeout.help) var acquireTimeout: String?
    @Option(name: Settings.timeZone.flag, help: Settings.timeZone.help) var timeZone: String?

    func clients() throws -> DatabaseClients.Configuration {
        let zone = try Settings.timeZone.value(timeZone)
        guard TimeZone(identifier: zone) != nil else { throw Failure("--time-zone: there is no '\(zone)'") }
        return DatabaseClients.Configuration(
            authConnectionString: try Settings.authDatabaseURL.value(authDatabaseURL),
            directConnectionString: try Settings.listenURL.value(listenURL),
            pooling: try Settings.pooler.value(pooler),
            replicas: try Settings.replicaURLs.value(replicaURL),
            replicaMaxLag: try Settings.replicaMaxLag.value(replicaMaxLag),
            poolSize: try Settings.poolSize.value(poolSize),
            authPoolSize: try Settings.authPoolSize.value(authPoolSize),
            acquireTimeout: try Settings.acquireTimeout.value(acquireTimeout), timeZone: zone)
    }
}
