/// Role and settings travel in the first packet. A server obeys or refuses; a pooler may take note of neither, and
/// everything would run as the login itself. So the role is asked back, once for each connection.
extension Connector {
    /// - Parameter current: the role statements would run as.
    static func verify(_ current: String, _ configuration: PostgresClient.Configuration) throws(ConnectError) {
        // "none" stands for the login itself.
        guard let role = configuration.role, role != "none", current != role else { return }
        throw ConnectError(
            cause: "statements would run as '\(current)' and not as '\(role)', as they would through a connection "
                + "pooler that ignores startup options: through one, use \(configuration.transactionPoolingHint)")
    }
}

extension ConnectError {
    /// With the remedy, where a pooler has refused the startup options itself.
    func explained(_ configuration: PostgresClient.Configuration) -> Self {
        guard configuration.pooling == .session, cause.contains("unsupported startup parameter") else { return self }
        return Self(cause: "\(cause) (through a connection pooler, use \(configuration.transactionPoolingHint))")
    }
}
