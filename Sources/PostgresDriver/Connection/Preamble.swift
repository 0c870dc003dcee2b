/// What a batch begins with where connections keep nothing: its role and its settings, until its transaction ends.
///
/// The batch needs no BEGIN and no COMMIT for that. What lies between two Syncs is one transaction anyway, which a
/// transaction pooler keeps together; and it ends at the Sync even after an error, whereas a COMMIT would be skipped
/// with all that follows the error, and a failed transaction stay open on one of the pooler's connections.
struct Preamble: Sendable {
    let sql: String
    let parameters: [Parameter]

    /// Nil when there is nothing to set, or it was set while connecting.
    init?(_ configuration: PostgresClient.Configuration) {
        guard configuration.pooling == .transaction else { return nil }
        var all = configuration.settings.sorted { $0.key < $1.key }
        // The role last: it may not be allowed to change what the login is.
        if let role = configuration.role { all.append(("role", role)) }
        guard !all.isEmpty else { return nil }
        let requests = all.indices.map { "pg_catalog.set_config($\($0 * 2 + 1), $\($0 * 2 + 2), true)" }
        sql = "SELECT " + requests.joined(separator: ", ")
        parameters = all.flatMap { [.text($0.key), .text($0.value)] }
    }
}
