import Auth
import DomainKit
import JSON

/// The circumstances of one call, apart from its method and params.
struct Call: Sendable {
    /// Nil if the method needs no caller.
    let caller: Caller?
    let context: CallContext
}

/// The account that makes a call.
struct Caller: Sendable, Hashable {
    /// The account as the access token names it.
    let user: AuthenticatedUser
    let role: Role
}

/// Identifies the caller of a request.
protocol Authenticating: Sendable {
    /// - Parameter authorization: the `Authorization` header, unchanged.
    func caller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationError) -> Caller
}

/// The reason why the caller is not identified.
enum AuthenticationError: Error, Sendable {
    case refused(TokenError)
    /// The state of the token could not be read, for example because the database is unavailable.
    case undecided(ExecutionError)

    init(_ error: AuthError) {
        self =
            if case .unauthenticated(let error) = error { .refused(error) } else { .undecided(.init(auth: error)) }
    }
}

/// Identifies callers by their access tokens.
struct TokenAuthenticator: Authenticating {
    let identity: AuthService

    func caller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationError) -> Caller {
        let caller = try await mapError(
            async: await identity.authenticate(authorization: authorization, deadline: deadline),
            AuthenticationError.init)
        // A token may name a role that no longer exists.
        guard let role = Role(rawValue: caller.role) else { throw .refused(.invalid) }
        return Caller(user: caller, role: role)
    }
}
