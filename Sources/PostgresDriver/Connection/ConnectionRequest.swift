/// What `ConnectionStateMachine` must know of a request.
protocol ConnectionRequest: Equatable, Identifiable {
    /// How it must be sent. May change while the request waits, because statistics do.
    var transport: RequestTransport { get }
    /// The share that it counts for. A batch holds requests of one share.
    var share: Share? { get }
    /// When its caller cancelled it or its deadline passed; nil while it is wanted.
    var cancelledAt: ContinuousClock.Instant? { get }
}

/// How a request travels on a connection.
enum RequestTransport: Equatable {
    /// In a batch together with other requests of this kind.
    case sharedBatch
    /// In a batch of its own.
    case ownBatch
    /// In a batch of its own, and only once the connection is idle. Behind a statement that hangs it could not be taken
    /// back, and after a loss it would be unknown whether the server will still carry it out.
    case ownBatchWhenIdle
    /// By the simple query protocol, outside pipeline mode, once the connection is idle.
    case simpleQuery
    /// By the COPY protocol, outside pipeline mode, once the connection is idle.
    case copy
}
