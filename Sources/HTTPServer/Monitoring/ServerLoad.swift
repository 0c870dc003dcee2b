/// What a server holds at one moment, and what it has refused since its start.
package struct ServerLoad: Sendable {
    /// Requests and connections that had no place.
    package struct Refusals: Sendable {
        /// Requests and responses that found no room in memory.
        package var memory = 0
        /// Connections that were closed for a new one.
        package var connections = 0
    }

    /// Open connections.
    package let connections: Int
    /// Bytes of large requests.
    package let bytesHeld: Int
    /// Bytes of large responses that are not sent.
    package let bytesUnsent: Int
    /// What `bytesHeld` and `bytesUnsent` may be at most.
    let limits: (received: Int, unsent: Int)
    /// Long computations that wait for their turn.
    package let waitingOffLoop: Int
    package let refusals: Refusals

    package var maxBytesHeld: Int { limits.received }
    package var maxBytesUnsent: Int { limits.unsent }
}
