/// The configuration of an ``HTTPServer``.
package struct HTTPConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free port, which the server passes to `onListening`.
    package var port = 8080
    /// Threads that read, parse and write. The request handler runs on them, too.
    package var eventLoopThreads = 1

    /// How many bytes one request's body may have.
    package var maxBodyBytes = 1 << 20
    /// How many bytes one request's body may have without a valid access token.
    package var maxAnonymousBodyBytes = 64 << 10
    /// How many bytes of requests that are received or answered may be held, those up to 8 KiB not counted.
    var receivedBytes = MemoryBudget.Limits(
        total: 64 << 20, anonymous: 16 << 20, address: 48 << 20, connection: 4 << 20)
    /// How many bytes of unsent responses may be held, those up to 8 KiB not counted.
    var unsentBytes = MemoryBudget.Limits(
        total: 64 << 20, anonymous: 16 << 20, address: 48 << 20, connection: 33 << 20)
    /// An idle connection takes about 10 kB.
    package var maxConnections = 4_096
    /// How many connections one client address may have; a trusted proxy may have all.
    package var maxConnectionsPerAddress = 2_048
    /// How many further connections wait in the kernel's queue.
    package var backlog = 1_024

    /// From the complete request to its response; the handler finds it in ``RequestContext/deadline``.
    package var requestDeadline: Duration = .seconds(10)
    /// From a request's first byte to its last; also how long the sending of a response may make no progress.
    package var requestTimeout: Duration = .seconds(30)
    /// How long a connection may stay open between two requests.
    package var idleTimeout: Duration = .seconds(75)
    /// How long a stream of events may be silent before the server writes a comment to it.
    package var eventHeartbeat: Duration = .seconds(15)
    /// How long requests may run after a shutdown has begun.
    package var drainTimeout: Duration = .seconds(8)
    /// How long a request runs on after its client has closed the connection's output. The client may have gone, or may
    /// still read the response, as `nc` does.
    package var halfCloseGrace: Duration = .milliseconds(200)

    /// The origins that CORS allows, such as `https://app.example.org`; `*` allows any. CORS is off without any.
    package var allowedOrigins: [String] = []
    /// From how many bytes on a body is compressed. Smaller ones gain little.
    package var minCompressedBytes = 1_400
    /// The proxies that may set `X-Forwarded-For`.
    package var trustedProxies = TrustedProxies()
    /// Whether a proxy is in front of the server, trusted or not: then no request counts as one of this machine.
    package var isBehindProxy = false
    /// HTTPS with this certificate; nil: plain HTTP.
    package var certificate: ServerCertificate?
    /// Every request is answered with the address over HTTPS; nil: requests go to the handler and the endpoints.
    package var redirect: HTTPSRedirect?

    package init() {}

    /// Whether the client of every connection is its other end.
    package var trustsNoProxy: Bool { trustedProxies.isEmpty }
}
