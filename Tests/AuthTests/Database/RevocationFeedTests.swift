import TestPostgres
import TestSupport
import Testing

@testable import Auth

/// security.md: "within 1 s on every other (LISTEN/NOTIFY feeds an in-memory list; no query per request; while LISTEN is
/// down, the database is asked)".
struct RevocationFeedTests {
    @Test func `a change of role and a deactivation take effect at once on the instance that made them`() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let before = try await accounts.login("anne@exemple.fr")
            try await accounts.psql("UPDATE users SET role = 'admin'")
            try await accounts.service.accountChanged(Member(company: 1, id: id))
            #expect(try await accounts.rejection(of: before) == .revoked)
            let after = try await accounts.service.refresh(before.refreshToken)
            #expect(try await accounts.rejection(of: after) == nil)
            try await accounts.psql("UPDATE users SET is_active = false")
            try await accounts.service.accountChanged(Member(company: 1, id: id))
            #expect(try await accounts.rejection(of: after) == .revoked)
            // A sign-in that ended stays ended.
            try await accounts.psql("UPDATE users SET is_active = true")
            try await accounts.service.accountChanged(Member(company: 1, id: id))
            #expect(try await accounts.rejection(of: after) == .revoked)
            #expect(try await accounts.rejection(ofRefresh: after.refreshToken) == .revoked)
            #expect(try await accounts.rejection(of: accounts.login("anne@exemple.fr")) == nil)
        }
    }

    @Test func `a refresh takes the present role, even if the revocation list holds an older one`() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr", role: "admin")
            let signedIn = try await accounts.login("anne@exemple.fr")
            try await accounts.psql("UPDATE users SET role = 'user'")
            try await accounts.service.accountChanged(Member(company: 1, id: id))
            try await accounts.psql("UPDATE users SET role = 'admin'")
            #expect(try await accounts.rejection(of: signedIn) == .revoked)
            let refreshed = try await accounts.service.refresh(signedIn.refreshToken)
            #expect(refreshed.user.role == "admin")
            #expect(try await accounts.rejection(of: refreshed) == nil)
        }
    }

    @Test
    func `an instance that follows the feed learns of logouts, role changes and deactivations elsewhere`() async throws
    {
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
                // One after the other, because the query that follows an announcement finds every change.
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

    @Test func `while the feed is current, a call is authenticated without a query`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let anne = try await accounts.login("anne@exemple.fr")
            let following = Task { await accounts.service.feed.follow(every: .seconds(3_600)) }
            try await eventually { accounts.service.feed.isCurrent }
            let authorization = "Bearer " + anne.accessToken
            var authenticated = 0
            try await eventually("fifty calls are authenticated while the feed is current") {
                guard accounts.service.feed.isCurrent else { return false }
                // A query about the sign-in would fail, and with it the call.
                try await accounts.psql("ALTER TABLE sign_ins RENAME TO gone")
                for _ in 1...10 {
                    let wasCurrent = accounts.service.feed.isCurrent
                    let outcome: Result<AuthenticatedUser, any Error>
                    do {
                        outcome = .success(try await accounts.service.authenticate(authorization: authorization))
                    } catch {
                        outcome = .failure(error)
                    }
                    // On a busy machine a heartbeat may be late: only calls during which the feed was current count.
                    guard wasCurrent, accounts.service.feed.isCurrent else { break }
                    let user = try outcome.get()
                    #expect(user == anne.user)
                    authenticated += 1
                }
                try await accounts.psql("ALTER TABLE gone RENAME TO sign_ins")
                return authenticated >= 50
            }
            following.cancel()
            await following.value
        }
    }

    @Test func `the first query of an instance finds what was revoked before it started`() async throws {
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

    @Test func `while the feed is not current, each call asks the database`() async throws {
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

    /// security.md: "`sid` belongs to `sub`. A sign-in deleted by psql is over."
    @Test(arguments: ["DELETE FROM sign_ins", "TRUNCATE sign_ins", "TRUNCATE users CASCADE"])
    func `a sign-in that is deleted in the database is over on every instance`(deletion: String) async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let anne = try await accounts.login("anne@exemple.fr")
            let unseen = try await accounts.login("anne@exemple.fr")
            try await accounts.withAnotherInstance { other in
                let following = [accounts.service, other].map { service in
                    Task { await service.feed.follow(every: .seconds(3_600)) }
                }
                for service in [accounts.service, other] {
                    try await eventually { !service.feed.isOff && service.feed.isCurrent }
                }
                #expect(try await accounts.rejection(of: anne, by: other) == nil)
                #expect(try await accounts.rejection(of: anne) == nil)
                try await accounts.psql(deletion)
                for service in [accounts.service, other] {
                    try await eventually { try await accounts.rejection(of: anne, by: service) == .revoked }
                    try await eventually { try await accounts.rejection(of: unseen, by: service) == .revoked }
                }
                #expect(try await accounts.rejection(ofRefresh: anne.refreshToken) != nil)
                for task in following {
                    task.cancel()
                    await task.value
                }
            }
        }
    }

    @Test func `a token is rejected if its sign-in belongs to another account`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let paul = try await accounts.add("paul@exemple.fr")
            let anne = try await accounts.login("anne@exemple.fr")
            let following = Task { await accounts.service.feed.follow(every: .seconds(3_600)) }
            try await eventually { !accounts.service.feed.isOff && accounts.service.feed.isCurrent }
            let mixed = try accounts.service.accessTokens.issue(
                for: AuthenticatedUser(
                    member: Member(company: 1, id: paul), account: paul, signInID: anne.user.signInID, role: "user"))
            let nowhere = try accounts.service.accessTokens.issue(
                for: AuthenticatedUser(
                    member: Member(company: 1, id: paul), account: paul, signInID: ForgedToken.signIn, role: "user"))
            for token in [mixed, nowhere] {
                await #expect {
                    _ = try await accounts.service.authenticate(authorization: "Bearer " + token)
                } throws: { error in
                    if case AuthError.unauthenticated(.revoked) = error { true } else { false }
                }
            }
            #expect(try await accounts.rejection(of: anne) == nil)
            following.cancel()
            await following.value
        }
    }
}
