import DomainKit
import Foundation
import JSON
import TestPostgres
import Testing

/// security.md: "new password under 10 characters, among the 10,000 most common (a list the project ships), equal to the
/// e-mail, over 200 characters | refused, with the reason; any other composition is accepted; nothing is ever cut".
struct PasswordPolicyTests {
    @Test func `a weak password is rejected with its reason by every method that takes one`() async throws {
        let server = try await TestServer.running()
        let admin = try await server.client()
        let nobody = try await server.client(nil)
        for (password, word, code) in [
            ("dix signes", nil, nil), ("123456789", "10", "rule"), ("qwertyuiop", "courant", "rule"),
            ("Password123", "courant", "rule"), ("ADMIN@test.example", "e-mail", "rule"),
            (String(repeating: "é", count: 201), "200", "too_long"),
        ] as [(String, String?, String?)] {
            let creation: JSONValue = ["values": ["email": .string(TestServer.admin), "password": .string(password)]]
            let change: JSONValue = ["current_password": "faux", "new_password": .string(password)]
            var refusals = [
                ("/values/password", try await admin.refusal("users.create", creation)),
                (
                    "/password",
                    try await nobody.refusal(
                        "auth.create_first_admin",
                        ["token": "x", "email": .string(TestServer.admin), "password": .string(password)])
                ),
            ]
            // A wrong current password would count as a failure, so an accepted password is not tried there. The e-mail of
            // a reset is known only with a valid token.
            if word != nil {
                refusals.append(("/new_password", try await admin.refusal("auth.change_password", change)))
            }
            if word != "e-mail", word != nil {
                let reset: JSONValue = ["token": "x", "new_password": .string(password)]
                refusals.append(("/new_password", try await nobody.refusal("auth.reset_password", reset)))
            }
            for (path, error) in refusals {
                let fault = error.at("/data/errors").array.first { $0["path"] == .string(path) }
                #expect(fault?["code"]?.text == code, "\(password) \(path): \(error.json)")
                if let word { #expect(fault?["message"]?.text?.contains(word) == true, "\(path): \(error.json)") }
            }
        }
    }

    @Test func `any other password is accepted, and every character of it counts`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let nobody = try await server.client(nil)
        for (number, password) in [
            "aaaaaaaaab", "          ", "0123456798", "ééééé ééééé", String(repeating: "🗝", count: 199) + "x",
            String(repeating: "a", count: 73) + "b", "avec \"guillemets\" et \\",
        ].enumerated() {
            let email = JSONValue.string("\(number)@test.example")
            _ = try await admin.call("users.create", ["values": ["email": email, "password": .string(password)]])
            let signedIn = try await nobody.call("auth.login", ["email": email, "password": .string(password)])
            #expect(signedIn.at("/user/email") == email)
            let other = [String(password.dropLast()), password + "x", password.dropLast() + "c"][number % 3]
            let error = try await nobody.refusal("auth.login", ["email": email, "password": .string(other)])
            #expect(error["code"] == 401, "\(other)")
        }
    }
}
