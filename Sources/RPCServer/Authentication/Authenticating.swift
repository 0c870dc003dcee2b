/// Finds out who is calling.
protocol Authenticating: Sendable {
    /// - Parameter authorization: the `Authorization` header as it was sent.
    func caller(_ authorization: String?, deadline: ContinuousClock.Instant) async throws(AuthenticationFault) -> Caller
}
