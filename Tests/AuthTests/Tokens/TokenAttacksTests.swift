import PostgresDriver
import TestSupport
import Testing

@testable import Auth

/// These two rows of security.md, each part of them quoted at its attack:
/// "token with `alg` none or another alg, without `exp`, wrong `iss`/`aud`/`typ`, unknown `kid`, any `crit`, a refresh
/// token in place of an access token | 401, and no database connection was taken";
/// "without `sub` or `sid` or with a future `nbf` refused".
struct TokenAttacksTests {
    /// Runs `body` with an instance that has no database and no current feed, so that a valid token needs a query, which
    /// fails.
    private static func withoutDatabase(_ body: (AuthService) async throws -> Void) async throws {
        var configuration = PostgresClient.Configuration(connectionString: "host=/nowhere")
        configuration.acquireTimeout = .milliseconds(200)
        let client = PostgresClient(configuration)
        let clock = TestClock()
        let service = try AuthService(
            database: client, secrets: SigningSecret.list(ForgedToken.secret), issuer: "learntrack",
            supabaseSecret: SigningSecret(ForgedToken.otherSecret), roles: ["user", "admin"], clock: { clock.now })
        let following = Task { await service.feed.follow() }
        let outcome: Result<Void, any Error>
        do {
            try await eventually { !service.feed.isCurrent }
            outcome = .success(try await body(service))
        } catch {
            outcome = .failure(error)
        }
        following.cancel()
        await client.shutdown()
        await following.value
        try outcome.get()
    }

    private static func attacks() throws -> [(row: String, token: String, refusal: TokenError)] {
        func header(_ changes: [String: String?]) throws -> String {
            try ForgedToken.make(header: ForgedToken.header(changes), claims: ForgedToken.claims())
        }
        func claims(_ changes: [String: String?]) throws -> String {
            try ForgedToken.make(header: ForgedToken.header(), claims: ForgedToken.claims(changes))
        }
        let good = try claims([:])
        let unsigned = good.split(separator: ".").dropLast().joined(separator: ".") + "."
        let tokens = try RefreshTokenIssuer(secrets: SigningSecret.list(ForgedToken.secret))
        return [
            ("`alg` none", try header(["alg": #""none""#]), .invalid),
            ("`alg` none, without a signature", unsigned, .invalid),
            ("another alg", try header(["alg": #""HS512""#]), .invalid),
            ("another alg", try header(["alg": #""RS256""#]), .invalid),
            ("without `exp`", try claims(["exp": nil]), .invalid),
            ("past `exp` and 30 s leeway", try claims(["exp": "1799999970"]), .expired),
            ("wrong `iss`", try claims(["iss": #""supabase""#]), .invalid),
            ("wrong `aud`", try claims(["aud": #""authenticated""#]), .invalid),
            ("wrong `typ`", try header(["typ": #""JWT""#]), .invalid),
            ("unknown `kid`", try header(["kid": #""00000000""#]), .invalid),
            ("unknown `kid` (absent counts as unknown)", try header(["kid": nil]), .invalid),
            ("any `crit`", try header(["crit": #"["exp"]"#]), .invalid),
            ("any `crit`", try header(["crit": "[]"]), .invalid),
            ("without `sub`", try claims(["sub": nil]), .invalid),
            ("without `sid`", try claims(["sid": nil]), .invalid),
            ("with a future `nbf`", try claims(["nbf": "1800000031"]), .invalid),
            ("a refresh token in place of an access token", tokens.firstToken(of: ForgedToken.signIn).text, .invalid),
            (
                "a foreign secret",
                try ForgedToken.make(
                    header: ForgedToken.header(), claims: ForgedToken.claims(), secret: ForgedToken.otherSecret),
                .invalid
            ),
        ]
    }

    @Test func `each attack is rejected without a connection, which a valid token would need here`() async throws {
        try await Self.withoutDatabase { service in
            for (row, token, refusal) in try Self.attacks() {
                await #expect("\(row)") {
                    _ = try await service.authenticate(authorization: "Bearer " + token)
                } throws: { error in
                    if case AuthError.unauthenticated(refusal) = error { true } else { false }
                }
            }
            let good = try ForgedToken.make(header: ForgedToken.header(), claims: ForgedToken.claims())
            await #expect {
                _ = try await service.authenticate(authorization: "Bearer " + good)
            } throws: { error in
                switch error as? AuthError {
                case .database, .timeout: true
                default: false
                }
            }
        }
    }
}
