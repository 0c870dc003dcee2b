import Auth
import DomainKit
import JSON
import QueryCompiler
import Testing

@testable import RPCServer

@Suite struct ActingRoleTests {
    private static let dispatcher = Role("dispatcher")
    private static let driver = Role("driver", subject: "trucks")
    private static let domain = Domain(
        name: "freight", roles: [.admin, dispatcher, driver], entities: [])

    struct Case: Sendable, CustomTestStringConvertible {
        let base: String
        var held: [HeldRole] = []
        var grants: Grants = [.admin: .every, dispatcher: .every, driver: .own("truck_id")]
        /// Nil: the call is forbidden.
        let expected: String?
        var subject: Int64?

        var testDescription: String { "\(base) + \(held.map { "\($0.role) \($0.subject ?? 0)" })" }
    }

    @Test(arguments: [
        Case(base: "admin", expected: "admin"),
        Case(base: "user", expected: nil),
        Case(base: "user", held: [HeldRole(role: "dispatcher", subject: nil)], expected: "dispatcher"),
        Case(base: "user", held: [HeldRole(role: "driver", subject: 7)], expected: "driver", subject: 7),
        // The domain's order decides, not the order in which the account holds the roles.
        Case(
            base: "user", held: [HeldRole(role: "driver", subject: 7), HeldRole(role: "dispatcher", subject: nil)],
            expected: "dispatcher"),
        Case(base: "admin", held: [HeldRole(role: "driver", subject: 7)], expected: "admin"),
        // The first role that the method allows.
        Case(
            base: "admin", held: [HeldRole(role: "driver", subject: 7)], grants: [driver: .own("truck_id")],
            expected: "driver", subject: 7),
        Case(base: "admin", grants: [driver: .own("truck_id")], expected: nil),
        // A role with a subject is not held without one, and a role without a subject has none.
        Case(base: "user", held: [HeldRole(role: "driver", subject: nil)], expected: nil),
        Case(
            base: "user", held: [HeldRole(role: "driver", subject: nil), HeldRole(role: "driver", subject: 9)],
            expected: "driver", subject: 9),
        Case(base: "driver", expected: nil),
        Case(base: "user", held: [HeldRole(role: "dispatcher", subject: 3)], expected: "dispatcher"),
        // Names that no domain serves.
        Case(base: "owner", held: [HeldRole(role: "pilot", subject: 1)], expected: nil),
    ])
    func `a call is made in the first of the domain's roles that the caller holds and the method allows`(
        _ item: Case
    ) throws {
        let method = method(.roles(item.grants, of: ServedRole.roles(of: Self.domain)))
        let outcome = Result { () throws(AuthorisationError) in
            try method.actingRole(of: caller(item.base, item.held))
        }
        switch outcome {
        case .success(let role):
            #expect(role?.served.role.name == item.expected)
            #expect(role?.subject == item.subject)
        case .failure:
            #expect(item.expected == nil)
        }
    }

    @Test func `a method without roles is called in none`() throws {
        #expect(try method(.anyone).actingRole(of: nil)?.served.role == nil)
        #expect(try method(.signedIn).actingRole(of: caller("user", []))?.served.role == nil)
    }

    private func method(_ rights: Rights) -> Method {
        Method(
            name: "trucks.stop", summary: "", rights: rights, parameters: [], result: .empty
        ) { _, _ in
            .work { _ throws(ExecutionError) in .value([:]) }
        }
    }

    private func caller(_ base: String, _ held: [HeldRole]) -> Caller {
        Caller(
            user: AuthenticatedUser(
                member: Member(company: 1, id: 1), account: 1, signInID: "00000000-0000-4000-8000-000000000001",
                role: base, additionalRoles: held))
    }
}
