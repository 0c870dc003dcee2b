import TestSupport
import Testing

@testable import Auth

struct RevocationListTests {
    private let clock = TestClock()
    private let anne = AuthenticatedUser(
        member: Member(company: 1, id: 1), account: 1, signInID: ForgedToken.signIn, role: "user")

    private func revocations() -> RevocationList {
        RevocationList { [clock] in clock.now }
    }

    @Test func `a revoked sign-in is rejected, another one is not`() {
        let list = revocations()
        #expect(!list.isRevoked(anne))
        list.revoke(signIns: [SignInID.make()])
        #expect(!list.isRevoked(anne))
        list.revoke(signIns: [anne.signInID])
        #expect(list.isRevoked(anne))
    }

    @Test func `a role that the account no longer has is rejected, and an older version changes nothing`() {
        let list = revocations()
        list.set(.init(role: "user", isActive: true, version: 2), of: Member(company: 1, id: 1))
        #expect(!list.isRevoked(anne))
        list.set(.init(role: "admin", isActive: true, version: 3), of: Member(company: 1, id: 1))
        #expect(list.isRevoked(anne))
        list.set(.init(role: "user", isActive: true, version: 2), of: Member(company: 1, id: 1))
        #expect(list.isRevoked(anne))
        list.set(.init(role: "user", isActive: false, version: 4), of: Member(company: 1, id: 1))
        #expect(list.isRevoked(anne))
        list.set(.init(role: "user", isActive: true, version: 5), of: Member(company: 1, id: 1))
        #expect(!list.isRevoked(anne))
    }

    @Test func `a token from before a deactivation is rejected after the member is active again, a later one is not`() {
        let list = revocations()
        let member = Member(company: 1, id: 1)
        func token(_ deactivations: Int64) -> AuthenticatedUser {
            AuthenticatedUser(
                member: member, account: 1, signInID: ForgedToken.signIn, role: "user", deactivations: deactivations)
        }
        list.set(.init(role: "user", isActive: false, version: 2, deactivations: 1), of: member)
        #expect(list.isRevoked(token(0)) && list.isRevoked(token(1)))
        list.set(.init(role: "user", isActive: true, version: 3, deactivations: 1), of: member)
        #expect(list.isRevoked(token(0)))
        #expect(!list.isRevoked(token(1)))
        // The list has not learnt yet of a second one, which another instance has issued a token after.
        #expect(!list.isRevoked(token(2)))
    }

    @Test func `a token is rejected if it names other additional roles than the account has`() {
        let list = revocations()
        let driver = HeldRole(role: "driver", subject: 7)
        let token = AuthenticatedUser(
            member: Member(company: 1, id: 1), account: 1, signInID: ForgedToken.signIn, role: "user",
            additionalRoles: [driver])
        list.set(
            .init(role: "user", additionalRoles: [driver], isActive: true, version: 2), of: Member(company: 1, id: 1))
        #expect(!list.isRevoked(token))
        #expect(list.isRevoked(anne))
        let other = HeldRole(role: "driver", subject: 8)
        list.set(
            .init(role: "user", additionalRoles: [other], isActive: true, version: 3), of: Member(company: 1, id: 1))
        #expect(list.isRevoked(token))
        list.set(.init(role: "user", isActive: true, version: 4), of: Member(company: 1, id: 1))
        #expect(list.isRevoked(token))
        #expect(!list.isRevoked(anne))
    }

    @Test func `entries are removed once every token that they concern has expired`() {
        let list = revocations()
        for _ in 0..<20 {
            list.revoke(signIns: (0..<500).map { _ in SignInID.make() })
            clock.advance(RevocationList.retention + 1)
        }
        #expect(list.count < 2000)
    }
}
