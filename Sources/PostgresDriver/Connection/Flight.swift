/// What travels between two Syncs: succeeds or fails as one transaction.
struct Flight {
    enum Purpose {
        case calls
        /// Tells the server which prepared statements are not needed any more.
        case deallocation
        /// Undoes what a lease left behind.
        case cleanup
    }

    let purpose: Purpose
    let calls: [Call]
    /// The Sync was handed to libpq: from then on it may be committed.
    var isSynced = false
    var hasFailed = false
    /// The failure of its end, such as a deferred constraint, or of its preamble: every call's.
    var syncFailure: PostgresError?

    init(_ purpose: Purpose, _ calls: [Call] = []) {
        self.purpose = purpose
        self.calls = calls
    }
}
