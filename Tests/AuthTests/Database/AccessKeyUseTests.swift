import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@testable import Auth

/// Access keys: who may have them, what they are worth, and when they end.
struct AccessKeyUseTests {
    /// What a call with `key` comes to: the roles in which it acts, or the reason of its refusal.
    private static func outcome(_ service: AuthService, _ key: String) async throws -> String {
        do throws(AuthError) {
            let user = try await service.authenticate(authorization: "Bearer " + key)
            #expect(user.accessKeyID != nil)
            let roles = user.additionalRoles.map { "\($0.role) \($0.subject.map(String.init) ?? "-")" }
            return ([user.role].compactMap(\.self) + roles).joined(separator: ", ")
        } catch {
            switch error {
            case .unauthenticated(let reason): return reason.reason
            case .busy: return "busy"
            default: throw error
            }
        }
    }

    @Test func `a key acts in its role alone`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let service = accounts.service
            let id = try await accounts.add("anne@exemple.fr", role: "admin")
            try await accounts.give(id, "driver", subject: 1)
            try await accounts.give(id, "driver", subject: 2)
            try await accounts.give(id, "viewer")
            try await accounts.give(id, "unserved")
            for (role, subject, expected) in [
                ("admin", nil, "admin"), ("driver", 2, "driver 2"), ("viewer", nil, "viewer -"), ("unserved", nil, ""),
            ] as [(String, Int64?, String)] {
                let (summary, key) = try await service.newAccessKey(for: id, as: role, subject: subject, name: "x")
                #expect(summary.account == id)
                #expect(summary.acting == HeldRole(role: role, subject: subject))
                #expect(try await Self.outcome(service, key) == expected, "\(role)")
                #expect(throws: Never.self) { try service.verify(authorization: "bearer  \(key)") }
            }
            try await accounts.withAnotherInstance { other in
                let (_, key) = try await service.newAccessKey(for: id, as: "viewer", name: "x")
                #expect(try await Self.outcome(other, key) == "viewer -", "known to this instance from the database")
            }
        }
    }

    @Test func `a key is not stored, its hash is`() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let (_, key) = try await accounts.service.newAccessKey(for: id, as: "user", name: "Lecteur")
            let base64 = key.dropFirst(3).replacing("-", with: "+").replacing("_", with: "/") + "="
            #expect(
                try await accounts.psql(
                    "SELECT count(*) FROM access_keys WHERE key_hash = sha256(decode('\(base64)', 'base64'))") == "1")
            #expect(try await accounts.psql("SELECT count(*) FROM journal WHERE table_name = 'access_keys'") == "0")
        }
    }

    @Test(
        arguments: [
            ("user", nil, nil, nil), ("admin", nil, nil, .roleNotHeld), ("viewer", nil, nil, .roleNotHeld),
            ("driver", nil, nil, .severalSubjects), ("driver", 1, nil, nil), ("driver", 9, nil, .subjectNotHeld),
            ("user", 1, nil, .subjectNotHeld), ("user", nil, "2020-01-01T00:00:00Z", .expired),
            ("user", nil, "2100-01-01T00:00:00Z", nil),
        ] as [(String, Int64?, String?, AccessKeyError?)])
    func `a key is created in a role that the account holds`(
        role: String, subject: Int64?, expiry: String?, expected: AccessKeyError?
    ) async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.give(id, "driver", subject: 1)
            try await accounts.give(id, "driver", subject: 2)
            #expect(try await Self.refusal(accounts, id, role, subject, expiry) == expected)
        }
    }

    private static func refusal(
        _ accounts: TestAccounts, _ id: Int64, _ role: String, _ subject: Int64? = nil, _ expiry: String? = nil
    ) async throws -> AccessKeyError? {
        do throws(AuthError) {
            _ = try await accounts.service.newAccessKey(
                for: id, as: role, subject: subject, name: "x", expiresAt: expiry)
            return nil
        } catch {
            guard case .accessKey(let reason) = error else { throw error }
            return reason
        }
    }

    @Test func `no key is created for an account that does not exist or is deactivated`() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.psql("UPDATE users SET is_active = false")
            #expect(try await Self.refusal(accounts, id, "user") == .inactiveAccount)
            #expect(try await Self.refusal(accounts, id + 1, "user") == .noSuchAccount)
        }
    }

    @Test func `an expired, a revoked and a made-up key are refused with these reasons`() async throws {
        try await TestAccounts.with { accounts in
            let service = accounts.service
            let id = try await accounts.add("anne@exemple.fr")
            // The clock of the service stands at 2027-01-15T08:00:00Z.
            let (_, expiring) = try await service.newAccessKey(
                for: id, as: "user", name: "x", expiresAt: "2027-01-15T08:01:00Z")
            let (summary, revoked) = try await service.newAccessKey(for: id, as: "user", name: "x")
            #expect(try await Self.outcome(service, expiring) == "user")
            accounts.clock.advance(60)
            #expect(try await Self.outcome(service, expiring) == "expired")
            #expect(throws: TokenError.expiredKey) { try service.verify(authorization: "Bearer \(expiring)") }
            #expect(try await service.revokeAccessKey(summary.id, by: Member(company: 1, id: id)))
            #expect(try await !service.revokeAccessKey(summary.id, by: Member(company: 1, id: id)))
            #expect(try await !service.revokeAccessKey(summary.id + 1_000, by: Member(company: 1, id: id)))
            #expect(try await Self.outcome(service, revoked) == "revoked")
            #expect(
                try await service.listAccessKeys(of: Member(company: 1, id: id))?.map(\.expiresAt) == [
                    "2027-01-15T08:01:00+00:00"
                ])
            #expect(try await service.listAccessKeys(of: Member(company: 1, id: id + 1)) == nil)
            for text in [AccessKey().text, revoked + "A", "lt_", String(revoked.dropLast()), revoked + ", Bearer x"] {
                #expect(try await Self.outcome(service, text) == "invalid", "\(text)")
            }
            // An instance that has never seen them says the same.
            try await accounts.withAnotherInstance { other in
                let expired = try await Self.outcome(other, expiring), ended = try await Self.outcome(other, revoked)
                #expect((expired, ended) == ("expired", "revoked"))
            }
        }
    }

    @Test(arguments: [
        ("UPDATE access_keys SET revoked_at = now()", "revoked"), ("DELETE FROM access_keys", "invalid"),
        ("DELETE FROM account_roles", "revoked"), ("DELETE FROM trucks", "revoked"),
        ("TRUNCATE account_roles", "revoked"), ("TRUNCATE trucks", "revoked"),
        ("UPDATE account_roles SET subject = 2", "revoked"), ("UPDATE users SET is_active = false", "revoked"),
        ("TRUNCATE access_keys", "invalid"), ("TRUNCATE users CASCADE", "invalid"),
        ("UPDATE access_keys SET expires_at = '2020-01-01'", "expired"), ("DELETE FROM users", "invalid"),
    ])
    func `the end of a key reaches every instance`(change: String, reason: String) async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.give(id, "driver", subject: 1)
            let (_, key) = try await accounts.service.newAccessKey(for: id, as: "driver", name: "x")
            try await accounts.withAnotherInstance { other in
                let following = Task { await other.feed.follow(every: .seconds(3_600)) }
                try await eventually { !other.feed.isOff && other.feed.isCurrent }
                #expect(try await Self.outcome(other, key) == "driver 1")
                try await accounts.psql(change)
                try await eventually("\(change) is known") { try await Self.outcome(other, key) == reason }
                following.cancel()
                await following.value
            }
        }
    }

    @Test func `a key of a former base role is revoked, and one of another role stays`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.give(id, "viewer")
            let (_, former) = try await accounts.service.newAccessKey(for: id, as: "user", name: "x")
            let (_, other) = try await accounts.service.newAccessKey(for: id, as: "viewer", name: "x")
            try await accounts.psql("UPDATE users SET role = 'admin'")
            try await accounts.service.accountChanged(Member(company: 1, id: id))
            #expect(try await Self.outcome(accounts.service, former) == "revoked")
            #expect(try await Self.outcome(accounts.service, other) == "viewer -")
        }
    }

    @Test func `a call with a known key needs no query, and wrong keys lead to few`() async throws {
        try await TestAccounts.with { accounts in
            let service = accounts.service
            let id = try await accounts.add("anne@exemple.fr")
            let (_, key) = try await service.newAccessKey(for: id, as: "user", name: "x")
            let following = Task { await service.feed.follow(every: .seconds(3_600)) }
            try await eventually { !service.feed.isOff && service.feed.isCurrent }
            // A query about a key would fail, and with it the call.
            try await accounts.psql("ALTER TABLE access_keys RENAME TO gone")
            var queries = 0
            let start = ContinuousClock.now
            for _ in 1...200 {
                do throws(AuthError) {
                    _ = try await service.authenticate(authorization: "Bearer " + AccessKey().text)
                } catch {
                    if case .database = error { queries += 1 }
                }
            }
            // Ten at once, and ten more each second.
            let allowed = 10 + Int((ContinuousClock.now - start) / .seconds(1) * 10) + 1
            #expect(queries <= allowed, "\(queries) queries for 200 wrong keys")
            var known = 0
            for _ in 1...50 {
                let wasCurrent = service.feed.isCurrent
                let outcome: Result<AuthenticatedUser, any Error>
                do {
                    outcome = .success(try await service.authenticate(authorization: "Bearer " + key))
                } catch {
                    outcome = .failure(error)
                }
                // On a busy machine a heartbeat may be late: only calls during which the feed was current count.
                guard wasCurrent, service.feed.isCurrent else { continue }
                #expect(try outcome.get().userID == id)
                known += 1
            }
            #expect(known > 0)
            try await accounts.psql("ALTER TABLE gone RENAME TO access_keys")
            following.cancel()
            await following.value
        }
    }

    @Test func `the last use is written at most once a minute`() async throws {
        try await TestAccounts.with { accounts in
            let service = accounts.service
            let id = try await accounts.add("anne@exemple.fr")
            let (summary, key) = try await service.newAccessKey(for: id, as: "user", name: "x")
            #expect(summary.lastUsedAt == nil)
            let last = "SELECT last_used_at FROM access_keys"
            func use() async throws {
                _ = try await Self.outcome(service, key)
                await service.feed.writeKeyUses()
            }
            try await use()
            let first = try await accounts.psql(last)
            #expect(!first.isEmpty)
            #expect(try await service.listAccessKeys(of: Member(company: 1, id: id))?.first?.lastUsedAt != nil)
            accounts.clock.advance(120)
            // Another instance has written it less than a minute ago, as the database sees it.
            try await use()
            #expect(try await accounts.psql(last) == first)
            try await accounts.psql("UPDATE access_keys SET last_used_at = now() - interval '61 seconds'")
            accounts.clock.advance(120)
            let aged = try await accounts.psql(last)
            try await use()
            #expect(try await accounts.psql(last) != aged)
            #expect(try await accounts.psql("SELECT version FROM access_keys") == "1")
        }
    }

    @Test func `keys that ended 90 days ago are deleted when the next one is created`() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            for name in ["a", "b", "c"] {
                _ = try await accounts.service.newAccessKey(for: id, as: "user", name: name)
            }
            try await accounts.psql(
                """
                UPDATE access_keys SET revoked_at = now() - interval '91 days' WHERE name = 'a';
                UPDATE access_keys SET expires_at = now() - interval '91 days' WHERE name = 'b';
                UPDATE access_keys SET revoked_at = now() - interval '89 days' WHERE name = 'c'
                """)
            _ = try await accounts.service.newAccessKey(for: id, as: "user", name: "d")
            #expect(try await accounts.psql("SELECT string_agg(name, ' ' ORDER BY name) FROM access_keys") == "c d")
        }
    }

    @Test func `no key outlives the role that it acts in, however the two statements meet`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            for _ in 1...10 {
                try await accounts.give(id, "viewer")
                async let created = try? accounts.service.newAccessKey(for: id, as: "viewer", name: "x")
                async let removed = accounts.psql("DELETE FROM account_roles")
                _ = try await (created, removed)
                #expect(try await accounts.psql("SELECT count(*) FROM access_keys WHERE revoked_at IS NULL") == "0")
            }
        }
    }
}
