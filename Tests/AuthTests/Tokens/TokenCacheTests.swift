import TestSupport
import Testing

@testable import Auth

struct TokenCacheTests {
    private let verified = AccessTokens.Verified(
        user: AuthenticatedUser(
            member: Member(company: 1, id: 1), account: 1, signInID: ForgedToken.signIn, role: "user"), usableUntil: 1)

    @Test func `the cache never exceeds two generations and keeps entries that are used`() {
        let cache = TokenCache<AccessTokens.Verified>(capacity: 10)
        cache.insert(verified, for: "kept")
        for number in 0..<100 {
            cache.insert(verified, for: "token \(number)")
            #expect(cache["kept"] == verified)
            #expect(cache.count <= 20)
        }
        #expect(cache["token 0"] == nil)
        #expect(cache["token 99"] == verified)
        cache.remove("kept")
        #expect(cache["kept"] == nil)
    }
}
