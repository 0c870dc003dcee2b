import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@testable import Auth

/// security.md: "Supabase tokens | with `SUPABASE_JWT_SECRET` set, a token Supabase Auth issued is accepted for the user
/// whose `supabase_user_id` is its `sub`".
struct SupabaseTests {
    private static let secret = "super-secret-jwt-token-with-at-least-32-characters-long"
    private static let subject = "7d9f2b1e-0c3a-4f5b-8e6d-1a2b3c4d5e6f"
    private static let session = "c24e7063-518f-44a0-93b3-6f7081920314"

    /// A token as Supabase Auth issues it, with some claims replaced, or left out where nil.
    static func token(
        _ changes: [String: String?] = [:], header: String = #"{"alg":"HS256","kid":"Xc2e/1","typ":"JWT"}"#,
        secret: String = SupabaseTests.secret
    ) -> String {
        var claims: [String: String] = [
            "aal": #""aal1""#, "amr": #"[{"method":"password","timestamp":1800000000}]"#,
            "app_metadata": #"{"provider":"email","role":"admin"}"#, "aud": #""authenticated""#,
            "email": #""anne@exemple.fr""#, "exp": "1800003600", "iat": "1800000000", "is_anonymous": "false",
            "iss": #""https://abcdefghijkl.supabase.co/auth/v1""#, "phone": #""""#, "role": #""authenticated""#,
            "session_id": "\"\(session)\"", "sub": "\"\(subject)\"", "user_metadata": #"{"role":"admin"}"#,
        ]
        for (name, value) in changes { claims[name] = value }
        let text = claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return ForgedToken.make(header: header, claims: "{\(text)}", secret: secret)
    }

    /// Runs `body` with an instance that accepts tokens of Supabase Auth, and with the id of the linked account.
    private static func with(
        _ secret: String? = secret, _ body: (TestAccounts, AuthService, Int64) async throws -> Void
    ) async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            try await accounts.psql("UPDATE users SET supabase_user_id = '\(subject)' WHERE id = \(id)")
            try await accounts.withAnotherInstance(supabase: secret) { service in
                try await body(accounts, service, id)
            }
        }
    }

    private static func outcome(_ service: AuthService, _ token: String) async throws -> String {
        do throws(AuthError) {
            let caller = try await service.authenticate(authorization: "Bearer " + token)
            return "\(caller.userID) \(caller.role ?? "")"
        } catch {
            guard case .unauthenticated(let refusal) = error else { throw error }
            return refusal.rawValue
        }
    }

    @Test
    func `a valid token is accepted for the linked account, with the role that the account has here`() async throws {
        try await Self.with { accounts, service, id in
            #expect(try await Self.outcome(service, Self.token()) == "\(id) user")
            let several = Self.token(["aud": #"["authenticated","x"]"#, "session_id": nil])
            #expect(try await Self.outcome(service, several) == "\(id) user")
            // A token of this service is accepted as well.
            let own = try await accounts.login("anne@exemple.fr")
            #expect(try await accounts.rejection(of: own, by: service) == nil)
            let caller = try await service.authenticate(authorization: "Bearer " + Self.token())
            let list = try await service.listSignIns(of: caller)
            #expect(list.map(\.id) == [own.user.signInID])
            #expect(list.map(\.isCurrent) == [false])
            #expect(try await service.endSignIn(own.user.signInID, of: caller))
            #expect(try await !service.endSignIn(Self.session, of: caller))
            #expect(try await Self.outcome(service, Self.token()) == "\(id) user")
        }
    }

    @Test func `without the secret no token is accepted`() async throws {
        try await Self.with(nil) { _, service, _ in
            let outcome = try await Self.outcome(service, Self.token())
            #expect(outcome == "invalid")
        }
    }

    @Test func `an invalid token is rejected without a query`() async throws {
        try await Self.with { accounts, service, _ in
            // From here on a query would fail.
            try await accounts.psql("ALTER TABLE users RENAME TO gone")
            let own = try AccessTokens(
                secrets: [SigningSecret(Self.secret)], issuer: "learntrack", roles: ["user"],
                clock: { 1_800_000_000 }
            ).issue(
                for: AuthenticatedUser(
                    member: Member(company: 1, id: 1), account: 1, signInID: Self.session, role: "user"))
            for (what, token) in [
                ("another secret", Self.token(secret: ForgedToken.secret)),
                ("no algorithm", Self.token(header: #"{"alg":"none","typ":"JWT"}"#)),
                ("another algorithm", Self.token(header: #"{"alg":"HS512","typ":"JWT"}"#)),
                ("a critical extension", Self.token(header: #"{"alg":"HS256","typ":"JWT","crit":["b64"]}"#)),
                ("our own type", Self.token(header: #"{"alg":"HS256","typ":"at+jwt"}"#)),
                ("our own claims under their secret", own),
                ("no expiry", Self.token(["exp": nil])), ("no subject", Self.token(["sub": nil])),
                ("a subject that is no UUID", Self.token(["sub": #""1""#])),
                (
                    "the key of the project itself",
                    Self.token(["role": #""service_role""#, "sub": nil, "iss": #""supabase""#])
                ),
                ("a key of the project with a subject", Self.token(["role": #""service_role""#])),
                ("nobody in particular", Self.token(["role": #""anon""#])),
                ("somebody without a role", Self.token(["role": nil])),
                ("somebody with no role", Self.token(["role": "null"])),
                ("somebody without a name", Self.token(["is_anonymous": "true"])),
                ("another issuer", Self.token(["iss": #""https://exemple.fr/""#])),
                ("another audience", Self.token(["aud": #""anon""#])), ("no audience", Self.token(["aud": nil])),
                ("not good yet", Self.token(["nbf": "1800000031"])),
            ] {
                #expect(try await Self.outcome(service, token) == "invalid", "\(what)")
            }
            #expect(try await Self.outcome(service, Self.token(["exp": "1799999970"])) == "expired")
            await #expect(throws: AuthError.self) { try await Self.outcome(service, Self.token()) }
        }
    }

    @Test func `an account that is not linked is unknown, and a deactivated one is rejected`() async throws {
        try await Self.with { accounts, service, id in
            #expect(try await Self.outcome(service, Self.token(["sub": "\"\(Self.session)\""])) == "invalid")
            try await accounts.psql("UPDATE users SET is_active = false")
            #expect(try await Self.outcome(service, Self.token()) == "revoked")
        }
    }

    @Test func `the account is read once, and again after a change of it or five minutes`() async throws {
        try await Self.with { accounts, service, id in
            #expect(try await Self.outcome(service, Self.token()) == "\(id) user")
            // The account changes without an announcement.
            try await accounts.psql(
                "ALTER TABLE users DISABLE TRIGGER ALL; UPDATE users SET role = 'admin'; ALTER TABLE users ENABLE TRIGGER ALL"
            )
            #expect(try await Self.outcome(service, Self.token()) == "\(id) user")
            #expect(try await Self.outcome(service, Self.token(["jti": #""another""#])) == "\(id) user")
            try await accounts.psql("UPDATE users SET username = 'Anne'")
            #expect(try await Self.outcome(service, Self.token()) == "\(id) user")
            // The revocation list is updated, as an announcement would do.
            try await service.accountChanged(Member(company: 1, id: id))
            #expect(try await Self.outcome(service, Self.token()) == "\(id) admin")
            try await accounts.psql("UPDATE users SET is_active = false")
            try await service.accountChanged(Member(company: 1, id: id))
            #expect(try await Self.outcome(service, Self.token()) == "revoked")
            try await accounts.psql("UPDATE users SET is_active = true")
            accounts.clock.advance(301)
            #expect(try await Self.outcome(service, Self.token()) == "\(id) admin")
            accounts.clock.advance(3600)
            #expect(try await Self.outcome(service, Self.token()) == "expired")
        }
    }
}
