import TestPostgres
import TestSupport
import Testing

@testable import Auth

/// security.md: "within 1 s on every other (LISTEN/NOTIFY feeds an in-memory list; no query per request; while LISTEN is
/// down, the database is asked)".
@Suite("What one instance does, the others know")
struct RevocationFeedTests {
    @Test("A role change and a deactivation are known at once where they were made")
    func accountChanged() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let before = try await accounts.login("anne@exemple.fr")
            try await accounts.psql("UPDATE users SET role = 'admin'")
            try await accounts.service.accountChanged(id)
            #expect(try await accounts.rejection(of: before) == .revoked)
            let after = try await accounts.service.refresh(before.refreshToken)
            #expect(try await accounts.rejection(of: after) == nil)
            try await accounts.psql("UPDATE users SET is_active = false")
            try await accounts.service.accountChanged(id)
            #expect(try await accounts.rejection(of: after) == .revoked)
            // What ended stays ended.
            try await accounts.psql("UPDATE users SET is_active = true")
            try await accounts.service.accountChanged(id)
            #expect(try await accounts.rejection(of: after) == .revoked)
            #expect(try await accounts.rejection(ofRefresh: after.refreshToken) == .revoked)
            #expect(try await accounts.rejection(of: accounts.login("anne@exemple.fr")) == nil)
        }
    }

    @Test("Whoever refreshes after another change of role is not held to what is remembered of the account")
    func newerThanRemembered() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr", role: "admin")
            let signedIn = try await accounts.login("anne@exemple.fr")
            try await accounts.psql("UPDATE users SET role = 'user'")
            try await accounts.service.accountChanged(id)
            try await accounts.psql("UPDATE users SET role = 'admin'")
            #expect(try await accounts.rejection(of: signedIn) == .revoked)
            let refreshed = try await accounts.service.refresh(signedIn.refreshToken)
            #expect(refreshed.user.role == "admin")
            #expect(try await accounts.rejection(of: refreshed) == nil)
        }
    }

    @Test("A follower takes in logouts, role changes and deactivations made elsewhere")
    func follow() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            try await accounts.add("paul@exemple.fr")
            try await accounts.add("lea@exemple.fr")
            let anne = try await accounts.login("anne@exemple.fr")
            let paul = try await accounts.login("paul@exemple.fr")
            let lea = try await accounts.login("lea@exemple.fr")
            try await accounts.withAnotherInstance { other in
                let following = Task { await other.feed.follow(every: .seconds(3_600)) }
                try await eventually { other.feed.isCurrent }
                for signedIn in [anne, paul, lea] {
                    #expect(try await accounts.rejection(of: signedIn, by: other) == nil)
                }
                // One after the other: what is announced of one brings news of all.
                try await accounts.service.logout(refreshToken: anne.refreshToken)
                try await eventually { other.revocations.isRevoked(anne.user) }
                #expect(try await accounts.rejection(of: anne, by: other) == .revoked)
                try await accounts.psql("UPDATE users SET role = 'admin' WHERE email = 'paul@exemple.fr'")
                try await eventually { other.revocations.isRevoked(paul.user) }
                #expect(try await accounts.rejection(of: paul, by: other) == .revoked)
                try await accounts.psql("UPDATE users SET is_active = false WHERE email = 'lea@exemple.fr'")
                try await eventually { other.revocations.isRevoked(lea.user) }
                following.cancel()
                await following.value
            }
        }
    }

    @Test("While news come no caller is asked about")
    func noQuestion() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let anne = try await accounts.login("anne@exemple.fr")
            let following = Task { await accounts.service.feed.follow(every: .seconds(3_600)) }
            try await eventually { accounts.service.feed.isCurrent }
            // A question would fail in between. On a busy machine news may be late now and then, and one is asked.
            try await eventually {
                guard accounts.service.feed.isCurrent else { return false }
                try await accounts.psql("ALTER TABLE sign_ins RENAME TO gone")
                let refusal: TokenError?
                do { refusal = try await accounts.rejection(of: anne) } catch { refusal = .invalid }
                try await accounts.psql("ALTER TABLE gone RENAME TO sign_ins")
                return refusal == nil
            }
            following.cancel()
            await following.value
        }
    }

    @Test("An instance that has just started knows what ended before")
    func start() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let anne = try await accounts.login("anne@exemple.fr")
            try await accounts.service.logout(refreshToken: anne.refreshToken)
            try await accounts.withAnotherInstance { other in
                try await other.feed.refresh(seconds: RevocationList.retention)
                #expect(try await accounts.rejection(of: anne, by: other) == .revoked)
            }
        }
    }

    @Test("While no news come, the database is asked")
    func stale() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let one = try await accounts.login("anne@exemple.fr")
            let other = try await accounts.login("anne@exemple.fr")
            let following = Task { await accounts.service.feed.follow() }
            following.cancel()
            await following.value
            #expect(!accounts.service.feed.isCurrent)
            try await accounts.psql("UPDATE sign_ins SET ended_at = now() WHERE id = '\(one.user.signInID)'")
            #expect(try await accounts.rejection(of: one) == .revoked)
            #expect(try await accounts.rejection(of: other) == nil)
            try await accounts.psql("UPDATE users SET role = 'admin'")
            #expect(try await accounts.rejection(of: other) == .revoked)
        }
    }
}
