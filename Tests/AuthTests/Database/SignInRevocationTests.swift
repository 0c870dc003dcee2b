import PostgresDriver
import TestPostgres
import Testing

@testable import Auth

/// security.md: "logout, deactivation, role change, password change | the access token is refused at once on the instance
/// that did it and within 1 s on every other": here the instance that did it, in `RevocationFeedTests` the others.
struct SignInRevocationTests {
    @Test func `a logout ends one sign-in and its access token, and a second one changes nothing`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let one = try await accounts.login("anne@exemple.fr")
            let other = try await accounts.login("anne@exemple.fr")
            try await accounts.service.logout(refreshToken: one.refreshToken)
            #expect(try await accounts.rejection(of: one) == .revoked)
            #expect(try await accounts.rejection(ofRefresh: one.refreshToken) == .revoked)
            #expect(try await accounts.rejection(of: other) == nil)
            try await accounts.service.logout(refreshToken: one.refreshToken, everywhere: true)
            try await accounts.service.logout(refreshToken: "n'importe quoi")
            #expect(try await accounts.rejection(of: other) == nil)
        }
    }

    @Test func `a logout everywhere ends all sign-ins of the account and none of another account`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            try await accounts.add("paul@exemple.fr")
            let one = try await accounts.login("anne@exemple.fr")
            let other = try await accounts.login("anne@exemple.fr")
            let paul = try await accounts.login("paul@exemple.fr")
            try await accounts.service.logout(refreshToken: one.refreshToken, everywhere: true)
            #expect(try await accounts.rejection(of: one) == .revoked)
            #expect(try await accounts.rejection(of: other) == .revoked)
            #expect(try await accounts.rejection(ofRefresh: other.refreshToken) == .revoked)
            #expect(try await accounts.rejection(of: paul) == nil)
        }
    }

    @Test func `a change of password ends the other sign-ins, and only the new password works`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let own = try await accounts.login("anne@exemple.fr")
            let other = try await accounts.login("anne@exemple.fr")
            let new = "une nouvelle phrase"
            try await accounts.service.changePassword(of: own.user, current: TestAccounts.password, new: new)
            #expect(try await accounts.rejection(of: own) == nil)
            #expect(try await accounts.rejection(of: other) == .revoked)
            #expect(try await accounts.rejection(ofRefresh: other.refreshToken) == .revoked)
            #expect(try await accounts.login("anne@exemple.fr", new).user.userID == own.user.userID)
            await #expect(throws: AuthError.self) { try await accounts.login("anne@exemple.fr") }
        }
    }

    @Test func `a wrong current password and a weak new one change nothing`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let own = try await accounts.login("anne@exemple.fr")
            await #expect {
                try await accounts.service.changePassword(
                    of: own.user, current: "fausse", new: "une nouvelle phrase")
            } throws: { error in
                if case AuthError.wrongCurrentPassword = error { true } else { false }
            }
            await #expect {
                try await accounts.service.changePassword(
                    of: own.user, current: TestAccounts.password, new: "ANNE@exemple.fr")
            } throws: { error in
                if case AuthError.password(.equalsEmail) = error { true } else { false }
            }
            #expect(try await accounts.rejection(of: own) == nil)
            #expect(try await accounts.login("anne@exemple.fr").user.userID == own.user.userID)
        }
    }

    @Test func `the role that creates accounts can set the first password of a new account only`() async throws {
        try await TestAccounts.with { accounts in
            let admin = TestAccounts.client(of: accounts.database, role: "learntrack_admin")
            let secret = try await accounts.service.initialPasswordStep("une belle phrase", email: "anne@exemple.fr")
            let insert = Step(Statement("INSERT INTO users (email) VALUES ($1)"), [.text("anne@exemple.fr")])
            _ = try await admin.transaction([insert, secret])
            _ = try await accounts.login("anne@exemple.fr", "une belle phrase")

            // An existing account, with or without a password, is out of reach.
            let old = try await accounts.psql("INSERT INTO users (email) VALUES ('paul@exemple.fr') RETURNING id")
            for id in [old, try await accounts.psql("SELECT id FROM users WHERE email = 'anne@exemple.fr'")] {
                let error = await #expect(throws: PostgresError.self) {
                    let give = Statement("SELECT kernel.first_secret($1::bigint, 'x')")
                    _ = try await admin.transaction([Step(give, [.text(id)])])
                }
                #expect(error?.sqlState == "42501")
            }
            #expect(try await accounts.psql("SELECT count(*) FROM credentials") == "1")
            await admin.shutdown()
        }
    }

    @Test
    func `a user sees the sign-ins of the account and can end one of them, but none of another account`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            try await accounts.add("paul@exemple.fr")
            let one = try await accounts.login("anne@exemple.fr")
            let other = try await accounts.login("anne@exemple.fr")
            let paul = try await accounts.login("paul@exemple.fr")
            let service = accounts.service
            let list = try await service.listSignIns(of: one.user)
            #expect(list.map(\.id) == [other, one].map(\.user.signInID))
            #expect(list.map(\.isCurrent) == [false, true])
            #expect(list.allSatisfy { $0.userAgent == "test" && $0.createdAt.contains("T") })
            #expect(try await !service.endSignIn(paul.user.signInID, of: one.user))
            #expect(try await !service.endSignIn("' OR true", of: one.user))
            #expect(try await service.endSignIn(other.user.signInID.uppercased(), of: one.user))
            #expect(try await !service.endSignIn(other.user.signInID, of: one.user))
            #expect(try await accounts.rejection(of: other) == .revoked)
            #expect(try await accounts.rejection(of: paul) == nil)
            #expect(try await service.listSignIns(of: one.user).map(\.id) == [one.user.signInID])
        }
    }
}
