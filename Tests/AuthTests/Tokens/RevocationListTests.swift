import TestSupport
import Testing

@testable import Auth

@Suite("The list of what is revoked")
struct RevocationListTests {
    private let clock = TestClock()
    private let anne = AuthenticatedUser(userID: 1, signInID: ForgedToken.signIn, role: "user")

    private func revocations() -> RevocationList {
        RevocationList { [clock] in clock.now }
    }

    @Test("An ended sign-in is refused, and nobody else")
    func ended() {
        let list = revocations()
        #expect(!list.isRevoked(anne))
        list.revoke(signIns: [SignInID.make()])
        #expect(!list.isRevoked(anne))
        list.revoke(signIns: [anne.signInID])
        #expect(list.isRevoked(anne))
    }

    @Test("A role that is no longer the account's is refused; late news of an older state changes nothing")
    func role() {
        let list = revocations()
        list.set(.init(role: "user", isActive: true, version: 2), of: 1)
        #expect(!list.isRevoked(anne))
        list.set(.init(role: "admin", isActive: true, version: 3), of: 1)
        #expect(list.isRevoked(anne))
        list.set(.init(role: "user", isActive: true, version: 2), of: 1)
        #expect(list.isRevoked(anne))
        list.set(.init(role: "user", isActive: false, version: 4), of: 1)
        #expect(list.isRevoked(anne))
        list.set(.init(role: "user", isActive: true, version: 5), of: 1)
        #expect(!list.isRevoked(anne))
    }

    @Test("Entries go once every token they speak of has expired")
    func bounded() {
        let list = revocations()
        for _ in 0..<20 {
            list.revoke(signIns: (0..<500).map { _ in SignInID.make() })
            clock.advance(RevocationList.retention + 1)
        }
        #expect(list.count < 2000)
    }
}
