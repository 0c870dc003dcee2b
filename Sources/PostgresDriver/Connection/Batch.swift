/// What is sent between two Syncs. It is one implicit transaction: all of it succeeds or all of it fails.
struct Batch<Request: Equatable>: Equatable {
    enum Purpose: Equatable {
        case requests
        /// Deallocates prepared statements that the cache has evicted.
        case deallocation
        /// Resets the session after a lease.
        case cleanup
    }

    let purpose: Purpose
    let requests: [Request]
    /// Whether libpq has the Sync. From then on the batch may be committed.
    var isSynced = false
    /// Whether one of its commands failed, so that the server undid all of it.
    var hasFailed = false

    init(_ purpose: Purpose, _ requests: [Request] = []) {
        self.purpose = purpose
        self.requests = requests
    }
}
