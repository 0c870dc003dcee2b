import TestPostgres
import Testing

@testable import Auth

@Suite("Resetting a forgotten password")
struct ResetTests {
    private static func reset(_ accounts: TestAccounts, _ token: String, _ password: String) async throws -> String {
        do {
            return try await accounts.identity.resetPassword(token: token, new: password) ? "done" : "bad token"
        } catch IdentityError.password(let fault) {
            return "\(fault)"
        }
    }

    @Test("A token sets the password once and ends every sign-in")
    func once() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let signedIn = try await accounts.login("anne@exemple.fr")
            let reset = try #require(try await accounts.identity.requestPasswordReset(email: "ANNE@exemple.fr"))
            #expect(reset.email == "anne@exemple.fr")
            #expect(reset.validMinutes == 30)
            #expect(try await Self.reset(accounts, reset.token, "court") == "tooShort")
            #expect(try await Self.reset(accounts, reset.token, "une nouvelle phrase") == "done")
            #expect(try await Self.reset(accounts, reset.token, "encore une phrase") == "bad token")
            #expect(try await accounts.refusal(of: signedIn) == .revoked)
            #expect(try await accounts.refusal(ofRefresh: signedIn.refreshToken) == .revoked)
            #expect(try await accounts.login("anne@exemple.fr", "une nouvelle phrase").caller.role == "user")
        }
    }

    @Test("It works for an account that has no password yet, for half an hour, and for that account alone")
    func limits() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.psql("INSERT INTO users (email) VALUES ('anne@exemple.fr'), ('paul@exemple.fr')")
            let anne = try #require(try await accounts.identity.requestPasswordReset(email: "anne@exemple.fr"))
            accounts.clock.advance(1800)
            #expect(try await Self.reset(accounts, anne.token, "une nouvelle phrase") == "bad token")
            let again = try #require(try await accounts.identity.requestPasswordReset(email: "anne@exemple.fr"))
            var bytes = try #require(Base64URL.decode(again.token.utf8))
            bytes[7] ^= 3
            #expect(try await Self.reset(accounts, Base64URL.encode(bytes), "une nouvelle phrase") == "bad token")
            for token in ["", "x", String(again.token.dropLast())] {
                #expect(try await Self.reset(accounts, token, "une nouvelle phrase") == "bad token")
            }
            accounts.clock.advance(1799)
            #expect(try await Self.reset(accounts, again.token, "une nouvelle phrase") == "done")
            #expect(try await accounts.login("anne@exemple.fr", "une nouvelle phrase").caller.role == "user")
        }
    }

    @Test("Unknown and deactivated accounts get none")
    func none() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let reset = try #require(try await accounts.identity.requestPasswordReset(email: "anne@exemple.fr"))
            try await accounts.psql("UPDATE users SET is_active = false WHERE id = \(id)")
            #expect(try await accounts.identity.requestPasswordReset(email: "anne@exemple.fr") == nil)
            #expect(try await accounts.identity.requestPasswordReset(email: "personne@exemple.fr") == nil)
            #expect(try await Self.reset(accounts, reset.token, "une nouvelle phrase") == "bad token")
        }
    }
}
