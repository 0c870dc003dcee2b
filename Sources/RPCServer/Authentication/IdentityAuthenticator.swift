import Auth
import DomainKit

/// Knows callers by their access tokens.
struct IdentityAuthenticator: Authenticating {
    let identity: AuthService

    func caller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationFault) -> Caller {
        do throws(AuthError) {
            let caller = try await identity.authenticate(authorization: authorization, deadline: deadline)
            // A role that no longer exists is no role.
            guard let role = Role(rawValue: caller.role) else { throw .unauthenticated(.invalid) }
            return Caller(identity: caller, role: role)
        } catch {
            if case .unauthenticated(let refusal) = error { throw .refused(refusal) }
            throw .undecided(ExecutionFault(error))
        }
    }
}
