import Auth
import DomainKit

/// Who is calling, and what they may be taken for.
struct Caller: Sendable, Hashable {
    /// As the access token has it.
    let identity: AuthenticatedUser
    let role: Role

    init(identity: AuthenticatedUser, role: Role) {
        self.identity = identity
        self.role = role
    }
}
