/// A COPY as a call carries it: its statement, and the end of the data that the caller holds.
struct CopyTransfer: Sendable {
    enum Flow: Sendable {
        case into(CopyInlet)
        case out(CopyOutlet)
    }

    let sql: String
    let flow: Flow

    var direction: CopyExchange.Direction {
        switch flow {
        case .into: .into
        case .out: .out
        }
    }
}

/// A COPY under way on a connection.
struct ActiveCopy {
    let transfer: CopyTransfer
    var exchange: CopyExchange
    /// Taken from the inlet and not yet handed to libpq.
    var outgoing: ArraySlice<UInt8> = []
    var end: CopyInlet.End?
    /// Input is left where it is, because the consumer lags behind.
    var isPaused = false
    /// Nobody wants the data that come.
    var isDiscarding = false
    /// Since when something other than a notice has been there while data are sent: most likely an error.
    var suspectedAt: ContinuousClock.Instant?

    /// Whether it is the caller's turn, so that the server's silence means nothing.
    var awaitsCaller: Bool {
        guard exchange.phase == .transferring, !isDiscarding else { return false }
        switch transfer.flow {
        case .into: return outgoing.isEmpty && end == nil
        case .out: return isPaused
        }
    }
}
