import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// kernel.md: "`account_roles.create {values: {account_id, role, subject}}`, `account_roles.list/delete`", in an installation
/// whose domains have roles of their own: here an author, who stands for a row of `authors`, and a critic.
@Suite struct AccountRolesTests {
    private static func with(_ body: (ServedBookshop) async throws -> Void) async throws {
        try await ServedBookshop.with(granting: [("bookshop_author", "bookshop.authors"), ("bookshop_critic", nil)]) {
            shop in
            try await shop.database.psql("INSERT INTO bookshop.authors (name) VALUES ('Émile Zola'), ('George Sand')")
            try await body(shop)
        }
    }

    private static func call(
        _ shop: ServedBookshop, _ method: String, _ params: String, as role: Role = .admin, token: String? = nil
    ) async throws -> String {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        if let token { return try await shop.answer(request, token: token) }
        return try await shop.answer(request, as: role)
    }

    @Test func `an administrator gives a role, the account reads it, and takes it`() async throws {
        try await Self.with { shop in
            let created = try await Self.call(
                shop, "account_roles.create",
                #"{"values":{"account_id":1,"role":"bookshop_author","subject":2},"select":"{ id role subject account { email } }"}"#
            )
            #expect(
                created.contains(
                    #""role":"bookshop_author","subject":2,"account":{"email":"user@test.example"}}"#), "\(created)")
            // Its tokens of before name other roles.
            #expect(try await Self.call(shop, "auth.me", "{}", as: .user).contains(#""reason":"revoked""#))
            let signedIn = try await Self.call(
                shop, "auth.login",
                #"{"email":"user@test.example","password":"un mot de passe pour les essais"}"#)
            let token = try #require(signedIn.firstMatch(of: /"access_token":"([^"]+)"/)).1
            let own = try await Self.call(
                shop, "auth.me", #"{"select":"{ roles { role subject } }"}"#, token: String(token))
            #expect(own.contains(#""result":{"roles":[{"role":"bookshop_author","subject":2}]}"#), "\(own)")
            let listed = try await Self.call(shop, "account_roles.list", #"{"select":"{ id }"}"#)
            let id = try #require(listed.firstMatch(of: /"items":\[\{"id":([0-9]+)\}\]/), "\(listed)").1
            #expect(try await Self.call(shop, "account_roles.delete", #"{"id":\#(id)}"#).contains(#""deleted":true"#))
            #expect(try await Self.call(shop, "auth.me", "{}", token: String(token)).contains(#""reason":"revoked""#))
            #expect(
                try await shop.database.psql(
                    "SELECT string_agg(operation, ' ' ORDER BY id) FROM journal WHERE table_name = 'account_roles'"
                )
                .hasPrefix("create delete"))
        }
    }

    @Test func `a wrong role or subject is a problem at its place`() async throws {
        try await Self.with { shop in
            let first = #"{"account_id":1,"role":"bookshop_author","subject":1}"#
            #expect(
                try await Self.call(shop, "account_roles.create", #"{"values":\#(first)}"#).contains(#""version":1"#))
            let table: [(String, [String])] = [
                (#"{"account_id":1,"role":"chef"}"#, ["/values/role format"]),
                (#"{"account_id":1,"role":"admin"}"#, ["/values/role format"]),
                (
                    #"{"role":"chef","subject":"x"}"#,
                    ["/values/account_id required", "/values/role format", "/values/subject type"]
                ),
                (#"{"account_id":1,"role":"bookshop_author"}"#, ["/values/subject required"]),
                (#"{"account_id":1,"role":"bookshop_author","subject":null}"#, ["/values/subject required"]),
                (#"{"account_id":1,"role":"bookshop_author","subject":99}"#, ["/values/subject not_found"]),
                (
                    #"{"account_id":99,"role":"bookshop_author","subject":99}"#,
                    ["/values/account_id not_found", "/values/subject not_found"]
                ),
                (#"{"account_id":99,"role":"bookshop_author","subject":1}"#, ["/values/account_id not_found"]),
                (#"{"account_id":1,"role":"bookshop_critic","subject":1}"#, ["/values/subject rule"]),
                (first, ["/values/role duplicate"]),
            ]
            for (values, expected) in table {
                let response = try await Self.call(shop, "account_roles.create", #"{"values":\#(values)}"#)
                let found = response.matches(of: /"path":"([^"]+)","code":"([^"]+)"/).map { "\($0.1) \($0.2)" }
                #expect(found.sorted() == expected, "\(values): \(response)")
            }
            let unknown = try await Self.call(
                shop, "account_roles.create", #"{"values":{"account_id":1,"role":"chef"}}"#)
            #expect(unknown.contains("bookshop_author") && unknown.contains("bookshop_critic"), "\(unknown)")
        }
    }

    @Test func `accounts without the right give no roles, and a role cannot be changed`() async throws {
        try await Self.with { shop in
            let give = #"{"values":{"account_id":1,"role":"bookshop_critic"}}"#
            for (method, params) in [("account_roles.create", give), ("account_roles.list", "{}")] {
                let response = try await Self.call(shop, method, params, as: .user)
                #expect(response.contains(#""code":403"#), "\(method): \(response)")
            }
            let change = try await Self.call(shop, "account_roles.update", #"{"id":1,"values":{}}"#)
            #expect(change.contains(#""code":-32601"#), "\(change)")
        }
    }

    @Test func `a key in a role with a subject ends with the role`() async throws {
        try await Self.with { shop in
            let give = #"{"values":{"account_id":1,"role":"bookshop_author","subject":2},"select":"{ id }"}"#
            let lacking = try await Self.call(
                shop, "auth.create_access_key", #"{"account_id":1,"role":"bookshop_author","name":"x"}"#)
            #expect(lacking.contains(#""path":"/role","code":"rule""#), "\(lacking)")
            _ = try await Self.call(shop, "account_roles.create", give)
            let created = try await Self.call(
                shop, "auth.create_access_key", #"{"account_id":1,"role":"bookshop_author","name":"x"}"#)
            #expect(created.contains(#""role":"bookshop_author","subject":2,"name":"x""#), "\(created)")
            let key = String(try #require(created.firstMatch(of: /"key":"([^"]+)"/), "\(created)").1)
            #expect(try await Self.call(shop, "users.list", "{}", token: key).contains(#""code":403"#))
            try await shop.database.psql("DELETE FROM bookshop.authors WHERE id = 2")
            // The service of this test follows no announcements: it learns of the change with the next one of its own.
            _ = try await Self.call(
                shop, "account_roles.create", #"{"values":{"account_id":2,"role":"bookshop_critic"}}"#)
            #expect(try await Self.call(shop, "auth.me", "{}", token: key).contains(#""reason":"revoked""#))
        }
    }
}
