/// How the HTTP side behaves; every default is the contract's.
package struct HTTPConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free port; `onListening` tells which.
    package var port = 8080
    /// Threads that read, parse and write; the answers' own code runs on them too.
    package var eventLoopThreads = 1

    /// Bytes one request's body may have.
    package var maxBodyBytes = 1 << 20
    /// Bytes of bodies held at one time over all connections.
    package var maxReceivedBytes = 256 << 20
    /// Bytes of answers that wait for their clients to read them, over all connections; small ones are not counted.
    package var maxUnsentBytes = 256 << 20
    /// Further connections wait in the kernel's queue.
    package var maxConnections = 8_192
    package var backlog = 1_024

    /// From a request being complete to its answer; handed on in ``CallContext``.
    package var requestDeadline: Duration = .seconds(10)
    /// From a request's first byte to its last; also how long a client may read nothing of an answer.
    package var requestTimeout: Duration = .seconds(30)
    /// How long a connection may stay open between two requests.
    package var idleTimeout: Duration = .seconds(75)
    /// How long requests may go on once shutdown has begun.
    package var drainTimeout: Duration = .seconds(8)
    /// How long a client that stopped sending is given before its request is cancelled: it may only have closed its
    /// half after the request, as `nc` does.
    package var halfCloseGrace: Duration = .milliseconds(200)

    /// Origins allowed by CORS, such as `https://app.example.org`; `*` allows any. None: no CORS at all.
    package var allowedOrigins: [String] = []
    /// The sizes of a body, in bytes, that are worth compressing: fewer would not get smaller, and more would hold up
    /// the other connections of the loop.
    package var compressedSizes = 1_400...1_048_576
    /// Whose `X-Forwarded-For` is believed.
    package var trustedProxies = TrustedProxies()

    package init() {}
}
