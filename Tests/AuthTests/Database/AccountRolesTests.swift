import TestPostgres
import TestSupport
import Testing

@testable import Auth

/// Roles beside the base role: in tokens, and their loss.
struct AccountRolesTests {
    private static let driver = HeldRole(role: "driver", subject: 1)
    private static let viewer = HeldRole(role: "viewer", subject: nil)

    @Test func `login and refresh give tokens with the roles of the account, in one order`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.give(id, "viewer")
            try await accounts.give(id, "driver", subject: 2)
            try await accounts.give(id, "driver", subject: 1)
            let all = [Self.driver, HeldRole(role: "driver", subject: 2), Self.viewer]
            let signedIn = try await accounts.login("anne@exemple.fr")
            #expect(signedIn.user.additionalRoles == all)
            let user = try await accounts.service.authenticate(authorization: "Bearer " + signedIn.accessToken)
            #expect(user == signedIn.user)
            let refreshed = try await accounts.service.refresh(signedIn.refreshToken)
            #expect(refreshed.user.additionalRoles == all)
            // The same refresh token again, as in a retry.
            let repeated = try await accounts.service.refresh(signedIn.refreshToken)
            #expect(repeated.user.additionalRoles == all)
        }
    }

    @Test func `a role that is not served is ignored, and its loss still ends the token`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.give(id, "viewer")
            try await accounts.give(id, "unserved")
            let signedIn = try await accounts.login("anne@exemple.fr")
            let user = try await accounts.service.authenticate(authorization: "Bearer " + signedIn.accessToken)
            #expect(user.additionalRoles == [Self.viewer])
            try await accounts.service.rolesChanged()
            #expect(try await accounts.rejection(of: signedIn) == nil)
            try await accounts.psql("DELETE FROM account_roles WHERE role = 'unserved'")
            try await accounts.service.rolesChanged()
            #expect(try await accounts.rejection(of: signedIn) == .revoked)
        }
    }

    @Test(arguments: [
        "INSERT INTO account_roles (account_id, role) SELECT id, 'viewer' FROM users WHERE email = 'anne@exemple.fr'",
        "UPDATE account_roles SET subject = 2", "DELETE FROM account_roles", "DELETE FROM trucks WHERE id = 1",
        "TRUNCATE account_roles", "TRUNCATE trucks",
    ])
    func `a change of roles ends the account's tokens on every instance, and no others`(change: String) async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.add("paul@exemple.fr")
            try await accounts.give(id, "driver", subject: 1)
            let anne = try await accounts.login("anne@exemple.fr")
            let paul = try await accounts.login("paul@exemple.fr")
            try await accounts.withAnotherInstance { other in
                let following = Task { await other.feed.follow(every: .seconds(3_600)) }
                try await eventually { !other.feed.isOff && other.feed.isCurrent }
                #expect(try await accounts.rejection(of: anne, by: other) == nil)
                try await accounts.psql(change)
                try await eventually { try await accounts.rejection(of: anne, by: other) == .revoked }
                #expect(try await accounts.rejection(of: paul, by: other) == nil)
                following.cancel()
                await following.value
            }
            let refreshed = try await accounts.service.refresh(anne.refreshToken)
            #expect(refreshed.user.additionalRoles != anne.user.additionalRoles)
            #expect(try await accounts.rejection(of: refreshed) == nil)
        }
    }

    @Test func `while the feed is not current, the database is asked about the roles`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.give(id, "driver", subject: 1)
            let anne = try await accounts.login("anne@exemple.fr")
            let following = Task { await accounts.service.feed.follow() }
            following.cancel()
            await following.value
            #expect(try await accounts.rejection(of: anne) == nil)
            try await accounts.psql("DELETE FROM account_roles")
            #expect(try await accounts.rejection(of: anne) == .revoked)
        }
    }

    @Test(arguments: [
        ("'nope', NULL", "no role of this name"), ("'admin', NULL", "no role of this name"),
        ("'user', NULL", "no role of this name"), ("'driver', NULL", "needs a subject"),
        ("'driver', 9", "no subject with this id"), ("'viewer', 1", "has no subject"),
        ("'driver', 1", "account_roles_role_key"), ("'viewer', NULL", "account_roles_role_key"),
    ])
    func `the database refuses a role or a subject that does not exist, and the same role twice`(
        values: String, reason: String
    ) async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.give(id, "driver", subject: 1)
            try await accounts.give(id, "viewer")
            let error = await #expect(throws: TestEnvironmentError.self) {
                try await accounts.psql(
                    "INSERT INTO account_roles (account_id, role, subject) VALUES (\(id), \(values))")
            }
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "accepted")")
        }
    }

    @Test func `an account has at most 32 roles, however many are given at once`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.addRoles()
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.psql("INSERT INTO trucks SELECT FROM generate_series(1, 40)")
            let give =
                "INSERT INTO account_roles (account_id, role, subject) SELECT \(id), 'driver', id FROM trucks WHERE id"
            try await accounts.psql("\(give) <= 31")
            await withTaskGroup { group in
                for truck in 32...35 {
                    group.addTask { _ = try? await accounts.psql("\(give) = \(truck)") }
                }
            }
            #expect(try await accounts.psql("SELECT count(*) FROM account_roles") == "32")
        }
    }
}
