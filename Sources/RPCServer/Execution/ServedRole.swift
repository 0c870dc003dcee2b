import Auth
package import DomainKit
package import QueryCompiler

/// A role of the served domains, with what the calls in this role are planned and executed with.
package final class ServedRole: Sendable {
    package let role: Role
    /// The position among the served roles.
    let index: Int
    /// Plans what the role may read and write.
    package let planner: Planner

    init(_ role: Role, index: Int, planner: Planner) {
        self.role = role
        self.index = index
        self.planner = planner
    }

    /// The roles of `domains`.
    ///
    /// - Parameter planners: one for each role; a role without one is left out.
    static func roles(of domains: [Domain], _ planners: [Role: Planner]) -> [ServedRole] {
        domains.roles.filter { planners[$0] != nil }.enumerated().compactMap { index, role in
            planners[role].map { ServedRole(role, index: index, planner: $0) }
        }
    }
}

extension [ServedRole] {
    /// The roles of one domain, in its order.
    package func roles(of domain: Domain) -> [ServedRole] {
        domain.roles.compactMap { role in first { $0.role == role } }
    }
}

/// The role in which a call is made. It decides the database role and the rows.
package struct ActingRole: Sendable {
    package let served: ServedRole
    /// The identifier of the record that the caller stands for; nil for a role without a subject.
    package let subject: Int64?

    package init(served: ServedRole, subject: Int64?) {
        self.served = served
        self.subject = subject
    }
}

extension Caller {
    /// The first of `roles` that the account holds.
    package func actingRole(among roles: [ServedRole]) -> ActingRole? {
        for served in roles {
            if let acting = actingRole(as: served) { return acting }
        }
        return nil
    }

    /// A role with a subject is held together with one, and a role without a subject is held without. Of several subjects
    /// the first counts, which is the lowest; a key has one.
    private func actingRole(as served: ServedRole) -> ActingRole? {
        let name = served.role.name
        if served.role.subject == nil {
            let isHeld = user.role == name || user.additionalRoles.contains { $0.role == name }
            return isHeld ? ActingRole(served: served, subject: nil) : nil
        }
        for held in user.additionalRoles where held.role == name {
            if let subject = held.subject { return ActingRole(served: served, subject: subject) }
        }
        return nil
    }
}
