/// What a listener hears, in order.
public enum ListenEvent: Sendable {
    /// From here on every notification is delivered. `mayHaveMissed` is false only at the very beginning: otherwise
    /// notifications may have been lost, because the connection was, or because the consumer was too slow and the
    /// oldest were dropped. Whoever follows something looks at its present state now.
    case listening(mayHaveMissed: Bool)
    case notification(PostgresNotification)
    /// The connection is lost or could not be made: `.connectionLost`, `.unavailable`, or `.server` when LISTEN itself was
    /// refused. It is tried again without end; said once for each interruption.
    case interrupted(PostgresError)
}
