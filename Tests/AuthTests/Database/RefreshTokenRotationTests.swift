import TestPostgres
import Testing

@testable import Auth

/// security.md: "refresh token | opaque, 256 bits, stored hashed, rotated at each use; 30 days idle (SEC-06), 90 days at
/// most" and "a rotated token used again after 10 s | the whole sign-in is revoked; within 10 s (a client's retry, 20
/// parallel calls, on any instance) all get the same one successor". What is stored: `LoginTests`.
struct RefreshTokenRotationTests {
    private static func withSignIn(_ body: (TestAccounts, IssuedTokens) async throws -> Void) async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            try await body(accounts, accounts.login("anne@exemple.fr"))
        }
    }

    @Test func `each refresh gives a new token of the same sign-in, with the present role`() async throws {
        try await Self.withSignIn { accounts, first in
            try await accounts.psql("UPDATE users SET role = 'admin'")
            let second = try await accounts.service.refresh(first.refreshToken)
            let third = try await accounts.service.refresh(second.refreshToken)
            #expect(Set([first, second, third].map(\.refreshToken)).count == 3)
            #expect(Set([first, second, third].map(\.user.signInID)).count == 1)
            #expect(third.user.role == "admin")
            #expect(try await accounts.rejection(of: third) == nil)
        }
    }

    @Test func `twenty simultaneous refreshes on two instances all get the same successor`() async throws {
        try await Self.withSignIn { accounts, first in
            try await accounts.withAnotherInstance { other in
                let instances = [accounts.service, other]
                let successors = try await withThrowingTaskGroup { group in
                    for number in 0..<20 {
                        group.addTask { try await instances[number % 2].refresh(first.refreshToken).refreshToken }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(successors.count == 1)
                let successor = try #require(successors.first)
                #expect(try await accounts.rejection(ofRefresh: successor) == nil)
            }
        }
    }

    @Test func `a retry within ten seconds gets the same successor, even after that one was used`() async throws {
        try await Self.withSignIn { accounts, first in
            let second = try await accounts.service.refresh(first.refreshToken)
            try await accounts.stretchRotations()
            #expect(try await accounts.service.refresh(first.refreshToken).refreshToken == second.refreshToken)
            let third = try await accounts.service.refresh(second.refreshToken)
            try await accounts.stretchRotations()
            #expect(try await accounts.service.refresh(first.refreshToken).refreshToken == second.refreshToken)
            #expect(try await accounts.service.refresh(second.refreshToken).refreshToken == third.refreshToken)
            #expect(try await accounts.rejection(ofRefresh: third.refreshToken) == nil)
        }
    }

    @Test func `a token that is used again after ten seconds ends the sign-in, whatever company it asks for`()
        async throws
    {
        try await Self.withSignIn { accounts, first in
            let second = try await accounts.service.refresh(first.refreshToken)
            try await accounts.age(rotationsBy: "11 seconds")
            await #expect(throws: AuthError.self) {
                try await accounts.service.refresh(first.refreshToken, company: 99)
            }
            #expect(try await accounts.rejection(of: second) == .revoked)
        }
    }

    @Test(arguments: 0...2)
    func `a token that is used again after ten seconds ends the sign-in, however many exchanges old it is`(
        generation: Int
    ) async throws {
        try await Self.withSignIn { accounts, first in
            var signedIn = [first]
            for _ in 0...2 {
                try await accounts.age(rotationsBy: "11 seconds")
                signedIn.append(try await accounts.service.refresh(signedIn[signedIn.count - 1].refreshToken))
            }
            try await accounts.age(rotationsBy: "11 seconds")
            #expect(try await accounts.rejection(of: signedIn[3]) == nil)
            #expect(try await accounts.rejection(ofRefresh: signedIn[generation].refreshToken) == .revoked)
            #expect(try await accounts.rejection(of: signedIn[3]) == .revoked)
            #expect(try await accounts.rejection(ofRefresh: signedIn[3].refreshToken) == .revoked)
        }
    }

    @Test func `a token that was never issued ends nothing, even if it names a sign-in`() async throws {
        try await Self.withSignIn { accounts, first in
            let guess = RefreshToken(
                signInID: first.user.signInID, secret: RandomBytes.make(RefreshToken.secretLength),
                tag: RandomBytes.make(RefreshToken.tagLength))
            #expect(try await accounts.rejection(ofRefresh: guess.text) == .invalid)
            try await accounts.service.logout(refreshToken: guess.text, everywhere: true)
            #expect(try await accounts.rejection(of: first) == nil)
            for text in ["", "x", first.accessToken, String(first.refreshToken.dropLast())] {
                #expect(try await accounts.rejection(ofRefresh: text) == .invalid)
            }
            #expect(try await accounts.rejection(ofRefresh: first.refreshToken) == nil)
        }
    }

    @Test(arguments: ["last_used_at = now() - interval '30 days'", "created_at = now() - interval '90 days'"])
    func `a sign-in expires thirty days after its last use and ninety days after its start`(change: String) async throws
    {
        try await Self.withSignIn { accounts, first in
            try await accounts.psql(
                """
                UPDATE sign_ins
                SET last_used_at = now() - interval '29 days', created_at = now() - interval '89 days'
                """)
            let second = try await accounts.service.refresh(first.refreshToken)
            try await accounts.psql("UPDATE sign_ins SET \(change)")
            #expect(try await accounts.rejection(ofRefresh: second.refreshToken) == .expired)
        }
    }

    @Test func `the age of a sign-in and of an exchange is measured by the clock of the database`() async throws {
        try await Self.withSignIn { accounts, first in
            accounts.clock.advance(100 * 86_400)
            let second = try await accounts.service.refresh(first.refreshToken)
            try await accounts.stretchRotations()
            #expect(try await accounts.rejection(of: second) == nil)
            #expect(try await accounts.service.listSignIns(of: second.user).count == 1)
            #expect(try await accounts.service.refresh(first.refreshToken).refreshToken == second.refreshToken)
            accounts.clock.advance(-200 * 86_400)
            try await accounts.age(rotationsBy: "1 hour 11 seconds")
            #expect(try await accounts.rejection(ofRefresh: first.refreshToken) == .revoked)
        }
    }

    @Test func `neither a deactivated nor a deleted account can refresh`() async throws {
        try await Self.withSignIn { accounts, first in
            try await accounts.psql("UPDATE users SET is_active = false")
            #expect(try await accounts.rejection(ofRefresh: first.refreshToken) == .revoked)
            try await accounts.psql("DELETE FROM users")
            #expect(try await accounts.rejection(ofRefresh: first.refreshToken) == .invalid)
        }
    }
}
