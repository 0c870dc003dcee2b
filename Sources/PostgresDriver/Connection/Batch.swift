/// What travels between two Syncs: succeeds or fails as one transaction.
struct Batch {
    enum Purpose {
        case requests
        /// Tells the server which prepared statements are not needed any more.
        case deallocation
        /// Undoes what a lease left behind.
        case cleanup
    }

    let purpose: Purpose
    let requests: [PoolRequest]
    /// The Sync was handed to libpq: from then on it may be committed.
    var isSynced = false
    var hasFailed = false
    /// The failure of its end, such as a deferred constraint, or of its preamble: every call's.
    var syncFailure: PostgresError?

    init(_ purpose: Purpose, _ requests: [PoolRequest] = []) {
        self.purpose = purpose
        self.requests = requests
    }
}
