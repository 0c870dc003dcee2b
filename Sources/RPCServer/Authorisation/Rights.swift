package import DomainKit

/// Who may call a method.
package enum Rights: Sendable, Equatable {
    /// Anybody: the `Authorization` header is not looked at.
    case anyone
    /// Whoever has signed in.
    case signedIn
    /// Whoever has signed in and is one of these.
    case roles(Set<Role>)
}

/// The caller's role may not do this.
struct AuthorisationFault: Error, Sendable, Hashable {}

extension Rights {
    var needCaller: Bool { self != .anyone }

    /// - Parameter caller: nil only where no caller is needed.
    func check(_ caller: Caller?) throws(AuthorisationFault) {
        switch self {
        case .anyone, .signedIn: return
        case .roles(let roles):
            guard let caller, roles.contains(caller.role) else { throw AuthorisationFault() }
        }
    }
}
