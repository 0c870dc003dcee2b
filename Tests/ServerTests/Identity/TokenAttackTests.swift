import Auth
import Crypto
import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing
import TextEncodings

/// security.md: "token with `alg` none or another alg, without `exp`, wrong `iss`/`aud`/`typ`, unknown `kid`, any `crit`, a
/// refresh token in place of an access token | 401, and no database connection was taken" and "access token | 15 minutes;
/// claims `sub`, `sid` (the sign-in), `role`, `iat`, `exp`, `iss` and `aud` = `learntrack`; without `sub` or `sid` or with a
/// future `nbf` refused; the HMAC key is the bytes of `JWT_SECRET` as they stand; header `typ` `at+jwt`, `kid` = first 8 hex
/// digits of SHA-256 of the secret (absent counts as unknown)".
struct TokenAttackTests {
    /// The members of a token's header and claims, with their values as JSON text.
    private struct Parts {
        var header: [String: String]
        var claims: [String: String]

        init(of token: String) throws {
            let parts = token.split(separator: ".")
            header = try Self.members(parts[0])
            claims = try Self.members(parts[1])
        }

        private static func members(_ part: Substring) throws -> [String: String] {
            guard case .object(let object) = try JSONValue.parse(try #require(Base64URL.decode(part.utf8))) else {
                throw TestEnvironmentError("no object")
            }
            return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value.json) })
        }

        /// The token with some members replaced, or left out where nil, and a valid signature.
        func token(
            header changedHeader: [String: String?] = [:], claims changedClaims: [String: String?] = [:],
            secret: String = TestServer.secret
        ) -> String {
            func text(_ members: [String: String], _ changes: [String: String?]) -> String {
                var members = members
                for (name, value) in changes { members[name] = value }
                return "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
            }
            return ForgedToken.make(
                header: text(header, changedHeader), claims: text(claims, changedClaims), secret: secret)
        }
    }

    @Test
    func `an access token has the specified parts, and a handmade one with the same parts is valid`() async throws {
        let server = try await TestServer.running()
        let signedIn = try await server.client(nil).call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let parts = try Parts(of: try #require(signedIn["access_token"]?.text))
        let digest = SHA256.hash(data: Data(TestServer.secret.utf8))
        let kid = digest.prefix(4).map { String(format: "%02x", $0) }.joined()
        #expect(parts.header == ["alg": #""HS256""#, "typ": #""at+jwt""#, "kid": "\"\(kid)\""])
        #expect(Set(parts.claims.keys) == ["sub", "sid", "role", "iat", "exp", "iss", "aud"])
        #expect(parts.claims["iss"] == #""learntrack""#)
        #expect(parts.claims["aud"] == #""learntrack""#)
        #expect(parts.claims["role"] == #""user""#)
        #expect(parts.claims["sub"] == "\"\(try #require(signedIn.at("/user/id").int))\"")
        let issued = try #require(parts.claims["iat"].flatMap { Double($0) })
        let expires = try #require(parts.claims["exp"].flatMap { Double($0) })
        #expect(expires - issued == 900)
        let client = try RPCClient(port: server.port, token: parts.token())
        let signIns = try await client.call("auth.list_sign_ins").at("/items").array
        let own = signIns.first { $0["current"] == true }
        #expect(own?["id"].map(\.json) == parts.claims["sid"])
    }

    @Test
    func `each forgery is 401 while the database does not answer, for which a valid token has to wait`() async throws {
        let cluster = try await TestCluster.own()
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let proxy = try FaultProxy(to: cluster)
        let server = try await TestServer.start(
            ["--acquire-timeout", "1"], environment: ["DATABASE_URL": proxy.connectionString(to: database)],
            database: database)
        let signedIn = try await server.client(nil).call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let parts = try Parts(of: try #require(signedIn["access_token"]?.text))
        let now = Int(Date().timeIntervalSince1970)
        let good = parts.token()
        #expect(try await RPCClient(port: server.port, token: good).call("auth.me")["role"] == "user")
        let unsigned = good.split(separator: ".").dropLast().joined(separator: ".") + "."
        let forgeries: [(row: String, token: String, reason: String)] = [
            ("`alg` none", parts.token(header: ["alg": #""none""#]), "invalid"),
            ("`alg` none, unsigned", unsigned, "invalid"),
            ("another alg", parts.token(header: ["alg": #""HS384""#]), "invalid"),
            ("another alg", parts.token(header: ["alg": #""RS256""#]), "invalid"),
            ("without `exp`", parts.token(claims: ["exp": nil]), "invalid"),
            ("past `exp`", parts.token(claims: ["exp": "\(now - 31)"]), "expired"),
            ("wrong `iss`", parts.token(claims: ["iss": #""supabase""#]), "invalid"),
            ("wrong `aud`", parts.token(claims: ["aud": #""authenticated""#]), "invalid"),
            ("wrong `typ`", parts.token(header: ["typ": #""JWT""#]), "invalid"),
            ("unknown `kid`", parts.token(header: ["kid": #""00000000""#]), "invalid"),
            ("absent `kid`", parts.token(header: ["kid": nil]), "invalid"),
            ("any `crit`", parts.token(header: ["crit": #"["exp"]"#]), "invalid"),
            ("any `crit`", parts.token(header: ["crit": "null"]), "invalid"),
            ("without `sub`", parts.token(claims: ["sub": nil]), "invalid"),
            ("without `sid`", parts.token(claims: ["sid": nil]), "invalid"),
            ("with a future `nbf`", parts.token(claims: ["nbf": "\(now + 3_600)"]), "invalid"),
            ("an unknown role", parts.token(claims: ["role": #""root""#]), "invalid"),
            ("another secret", parts.token(secret: TestServer.secret + "x"), "invalid"),
            ("a refresh token", try #require(signedIn["refresh_token"]?.text), "invalid"),
        ]
        proxy.set(.blackHole)
        for (row, token, reason) in forgeries {
            let error = try await RPCClient(port: server.port, token: token).refusal("auth.me")
            #expect(error["code"] == 401, "\(row): \(error.json)")
            #expect(error.at("/data/code") == "unauthenticated", "\(row)")
            #expect(error.at("/data/reason") == .string(reason), "\(row): \(error.json)")
        }
        let error = try await RPCClient(port: server.port, token: good).refusal("auth.me")
        #expect(error["code"] == 503, "\(error.json)")
        proxy.set(.normal)
    }
}
