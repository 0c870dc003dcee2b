import TestPostgres
import Testing
import TextEncodings

@testable import Auth

/// security.md: "reset token | one use, 30 minutes, hashed at rest; afterwards every sign-in of that user ends."
struct PasswordResetTests {
    private static func reset(
        _ accounts: TestAccounts, _ token: String, _ password: String, from address: String? = nil
    ) async throws -> String {
        let service = accounts.service
        do throws(AuthError) {
            let isDone = try await service.resetPassword(token: token, new: password, remoteAddress: address)
            return isDone ? "done" : "bad token"
        } catch {
            switch error {
            case .password(let fault): return "\(fault)"
            case .busy(let seconds): return "wait \(seconds)"
            default: throw error
            }
        }
    }

    @Test func `a token sets the password once and ends every sign-in`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let signedIn = try await accounts.login("anne@exemple.fr")
            let reset = try #require(try await accounts.service.passwordReset(for: "ANNE@exemple.fr"))
            #expect(reset.email == "anne@exemple.fr")
            #expect(reset.validMinutes == 30)
            #expect(try await Self.reset(accounts, reset.token, "court") == "tooShort")
            #expect(try await Self.reset(accounts, reset.token, "Anne@exemple.fr") == "equalsEmail")
            #expect(try await Self.reset(accounts, reset.token, "une nouvelle phrase") == "done")
            #expect(try await Self.reset(accounts, reset.token, "encore une phrase") == "bad token")
            #expect(try await accounts.rejection(of: signedIn) == .revoked)
            #expect(try await accounts.rejection(ofRefresh: signedIn.refreshToken) == .revoked)
            #expect(try await accounts.login("anne@exemple.fr", "une nouvelle phrase").user.role == "user")
        }
    }

    @Test func `of simultaneous uses of one token exactly one succeeds`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let reset = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            let outcomes = try await withThrowingTaskGroup { group in
                for number in 1...6 {
                    group.addTask { try await Self.reset(accounts, reset.token, "une nouvelle phrase \(number)") }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(outcomes.sorted() == ["bad token", "bad token", "bad token", "bad token", "bad token", "done"])
        }
    }

    @Test func `a token is valid for half an hour, for an account without a password too`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.psql("INSERT INTO users (email) VALUES ('anne@exemple.fr')")
            let late = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            try await accounts.psql("UPDATE password_resets SET created_at = now() - interval '30 minutes'")
            #expect(try await Self.reset(accounts, late.token, "une nouvelle phrase") == "bad token")
            let again = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            // The request deleted the expired token.
            #expect(try await accounts.psql("SELECT count(*) FROM password_resets") == "1")
            try await accounts.psql("UPDATE password_resets SET created_at = now() - interval '29 minutes'")
            for token in ["", "x", String(again.token.dropLast()), ResetToken().text] {
                #expect(try await Self.reset(accounts, token, "une nouvelle phrase") == "bad token")
            }
            #expect(try await Self.reset(accounts, again.token, "une nouvelle phrase") == "done")
            #expect(try await accounts.login("anne@exemple.fr", "une nouvelle phrase").user.role == "user")
        }
    }

    @Test func `the database stores neither the token nor its secret`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let reset = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            let stored = try await accounts.psql("SELECT encode(token_hash, 'hex') || r::text FROM password_resets r")
            let secret = try #require(Base64URL.decode(reset.token.utf8))
            #expect(secret.count == 32)
            #expect(!stored.contains(secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()))
            #expect(!stored.contains(reset.token))
        }
    }

    @Test func `unknown and deactivated accounts get no token, and a token is invalid once the e-mail has changed`()
        async throws
    {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let reset = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            try await accounts.psql("UPDATE users SET email = 'ailleurs@exemple.fr'")
            #expect(try await Self.reset(accounts, reset.token, "une nouvelle phrase") == "bad token")
            try await accounts.psql("UPDATE users SET email = 'anne@exemple.fr', is_active = false WHERE id = \(id)")
            #expect(try await accounts.service.passwordReset(for: "anne@exemple.fr") == nil)
            #expect(try await accounts.service.passwordReset(for: "personne@exemple.fr") == nil)
            #expect(try await Self.reset(accounts, reset.token, "une nouvelle phrase") == "bad token")
        }
    }

    @Test func `a change of password or another reset makes earlier tokens invalid`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let signedIn = try await accounts.login("anne@exemple.fr")
            let first = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            let second = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            #expect(try await Self.reset(accounts, first.token, "une nouvelle phrase") == "done")
            #expect(try await Self.reset(accounts, second.token, "encore une phrase") == "bad token")
            let third = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            try await accounts.service.changePassword(
                of: signedIn.user, current: "une nouvelle phrase", new: "encore une phrase")
            #expect(try await Self.reset(accounts, third.token, "une autre phrase") == "bad token")
        }
    }

    @Test
    func `one mailbox gets three mails at once and then one in five minutes, all with valid tokens`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            var mails: [PasswordReset] = []
            for _ in 1...10 {
                if let mail = try await accounts.service.passwordReset(for: "Anne@exemple.fr") { mails.append(mail) }
            }
            #expect(mails.count == 3)
            try await accounts.age(attemptsBy: "200 seconds")
            #expect(try await accounts.service.passwordReset(for: "anne@exemple.fr") == nil)
            try await accounts.age(attemptsBy: "100 seconds")
            #expect(try await accounts.service.passwordReset(for: "anne@exemple.fr") != nil)
            #expect(try await accounts.service.passwordReset(for: "anne@exemple.fr") == nil)
            // The owner can still use a mail that was sent before.
            #expect(try await Self.reset(accounts, mails[0].token, "une nouvelle phrase") == "done")
        }
    }

    @Test func `one network may send twenty requests before it has to wait longer and longer`() async throws {
        try await TestAccounts.with { accounts in
            func ask() async throws -> Int? {
                do throws(AuthError) {
                    try await accounts.service.admitPasswordReset(remoteAddress: "192.0.2.1")
                    return nil
                } catch {
                    guard case .busy(let seconds) = error else { throw error }
                    return seconds
                }
            }
            for _ in 1...20 { #expect(try await ask() == nil) }
            try await accounts.stretch()
            #expect(try await ask() != nil)
            try await accounts.age(attemptsBy: "1 hour 1 second")
            #expect(try await ask() == nil)
            #expect(
                try await accounts.psql("SELECT extract(epoch FROM not_before - last_at)::integer FROM attempts") == "2"
            )
            try await accounts.stretch()
            #expect(try await ask() != nil)
            try await accounts.service.admitPasswordReset(remoteAddress: "192.0.2.2")
        }
    }

    @Test func `invalid tokens throttle a network as wrong passwords do`() async throws {
        try await TestAccounts.with { accounts in
            for _ in 1...50 {
                let outcome = try await Self.reset(accounts, "x", "une nouvelle phrase", from: "192.0.2.1")
                #expect(outcome == "bad token")
            }
            try await accounts.stretch()
            let outcome = try await Self.reset(accounts, "x", "une nouvelle phrase", from: "192.0.2.1")
            #expect(outcome.hasPrefix("wait "))
        }
    }

    @Test func `a reset lets a throttled owner in and makes the network known`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let guesser = LoginThrottle.Origin(email: "anne@exemple.fr", network: "198.51.100.7", isKnown: false)
            for _ in 1...10 { try await accounts.service.throttle.recordFailure(guesser, deadline: nil) }
            try await accounts.stretch()
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: "192.0.2.10") != nil)
            let mail = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            #expect(try await Self.reset(accounts, mail.token, "une nouvelle phrase", from: "192.0.2.10") == "done")
            for _ in 1...10 { try await accounts.service.throttle.recordFailure(guesser, deadline: nil) }
            try await accounts.stretch()
            #expect(try await accounts.wait("anne@exemple.fr", "faux", from: "192.0.2.11") != nil)
            #expect(try await accounts.wait("anne@exemple.fr", "une nouvelle phrase", from: "192.0.2.10") == nil)
            #expect(try await accounts.psql("SELECT count(*) FROM sign_ins") == "1")
        }
    }

    @Test(arguments: [
        "UPDATE credentials SET password_hash = crypt('autre', gen_salt('bf', 4))", "DELETE FROM credentials",
    ])
    func `a password changed or removed with psql ends the sign-ins of the account, a rehash does not`(sql: String)
        async throws
    {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let first = try await accounts.login("anne@exemple.fr")
            let mail = try #require(try await accounts.service.passwordReset(for: "anne@exemple.fr"))
            try await accounts.psql("UPDATE credentials SET password_hash = password_hash")
            #expect(try await accounts.psql("SELECT count(*) FROM sign_ins WHERE ended_at IS NULL") == "1")
            try await accounts.psql(sql)
            #expect(try await accounts.rejection(ofRefresh: first.refreshToken) == .revoked)
            #expect(try await Self.reset(accounts, mail.token, "une nouvelle phrase") == "bad token")
        }
    }
}
