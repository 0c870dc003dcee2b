import Auth

/// Why nobody is known to be calling.
enum AuthenticationFault: Error, Sendable {
    case refused(TokenError)
    /// Whether the token still counts could not be found out.
    case undecided(ExecutionFault)
}
