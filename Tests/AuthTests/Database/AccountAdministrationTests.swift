import PostgresDriver
import TestPostgres
import Testing

@testable import Auth

struct AccountAdministrationTests {
    @Test func `an account is added, listed, given another password and disabled`() async throws {
        try await TestAccounts.with { test in
            let client = TestAccounts.client(of: test.database, role: nil)
            let accounts = AccountAdministration(database: client)
            let id = try await accounts.add(
                email: "anne@exemple.fr", username: "Anne", role: "admin", password: "une belle phrase")
            #expect(
                try await accounts.list() == [
                    AccountAdministration.Account(
                        id: id, email: "anne@exemple.fr", username: "Anne", role: "admin", companyID: 1,
                        companyName: "LearnTrack", isActive: true, isInvited: false, hasPassword: true,
                        isOperator: false)
                ])
            let signedIn = try await test.login("anne@exemple.fr", "une belle phrase")
            try await accounts.setPassword("une autre phrase", email: "ANNE@exemple.fr")
            #expect(try await test.rejection(ofRefresh: signedIn.refreshToken) == .revoked)
            let again = try await test.login("anne@exemple.fr", "une autre phrase")
            try await accounts.disable(email: "anne@exemple.fr")
            #expect(try await test.rejection(ofRefresh: again.refreshToken) == .revoked)
            #expect(try await accounts.list().map(\.isActive) == [false])
            await client.shutdown()
        }
    }

    @Test func `a taken e-mail, a weak password and an unknown account each have an error of their own`() async throws {
        try await TestAccounts.with { test in
            let client = TestAccounts.client(of: test.database, role: nil)
            let accounts = AccountAdministration(database: client)
            try await test.add("anne@exemple.fr")
            await #expect {
                _ = try await accounts.add(
                    email: "Anne@Exemple.fr", username: nil, role: "user", password: "une belle phrase")
            } throws: { error in
                if case AuthError.emailTaken = error { true } else { false }
            }
            await #expect {
                _ = try await accounts.add(email: "paul@exemple.fr", username: nil, role: "user", password: "court")
            } throws: { error in
                if case AuthError.password(.tooShort) = error { true } else { false }
            }
            await #expect {
                try await accounts.disable(email: "paul@exemple.fr")
            } throws: { error in
                if case AuthError.noSuchAccount = error { true } else { false }
            }
            await client.shutdown()
        }
    }
}

/// security.md, Rights: "the business role's connection asked for a password hash: `permission denied`".
struct SecretsTests {
    @Test(arguments: ["learntrack_user", "learntrack_admin"])
    func `the database roles of ordinary calls cannot read or write secrets`(role: String) async throws {
        try await TestAccounts.with { test in
            try await test.add("anne@exemple.fr")
            let client = TestAccounts.client(of: test.database, role: role)
            for sql in [
                "SELECT password_hash FROM credentials", "UPDATE credentials SET password_hash = ''",
                "SELECT refresh_hash FROM sign_ins", "DELETE FROM sign_ins",
            ] {
                await #expect {
                    _ = try await client.query(Statement(sql))
                } throws: { error in
                    (error as? PostgresError)?.sqlState == "42501"
                }
            }
            await client.shutdown()
        }
    }
}
