import TestSupport
import Testing
import TextEncodings

@testable import Auth

/// security.md: "access token | 15 minutes; claims `sub`, `sid` (the sign-in), `role`, `iat`, `exp`, `iss` and `aud` =
/// `learntrack`; without `sub` or `sid` or with a future `nbf` refused; the HMAC key is the bytes of `JWT_SECRET` as they
/// stand; header `typ` `at+jwt`, `kid` = first 8 hex digits of SHA-256 of the secret (absent counts as unknown); a role
/// that is no longer the account's is refused; 30 s leeway; the clock is injected in tests". Roles that have changed:
/// `RevocationFeedTests`.
struct AccessTokensTests {
    private let clock = TestClock()

    private func tokens(_ secrets: String = ForgedToken.secret) throws -> AccessTokens {
        try AccessTokens(
            secrets: SigningSecret.list(secrets), issuer: "learntrack", roles: ["user", "admin"],
            clock: { [clock] in clock.now })
    }

    private let caller = AuthenticatedUser(
        member: Member(company: 1, id: 7), account: 7, signInID: ForgedToken.signIn, role: "admin")

    @Test func `an issued token is valid for fifteen minutes and thirty seconds of leeway`() throws {
        let tokens = try tokens()
        let token = try tokens.issue(for: caller)
        #expect(try tokens.verify(token).user == caller)
        clock.advance(929)
        #expect(try tokens.verify(token).user == caller)
        clock.advance(1)
        #expect(throws: TokenError.expired) { try tokens.verify(token) }
    }

    @Test func `an issued token has the specified header and claims`() throws {
        let token = try tokens().issue(for: caller)
        let parts = try token.split(separator: ".").prefix(2).map { part in
            String(decoding: try #require(Base64URL.decode(part.utf8)), as: UTF8.self)
        }
        let header = parts[0], claims = parts[1]
        #expect(header.contains(#""typ":"at+jwt""#))
        #expect(header.contains(#""alg":"HS256""#))
        #expect(header.contains(#""kid":"\#(try SigningSecret(ForgedToken.secret).keyID)""#))
        for claim in [
            #""sub":"7""#, #""sid":"\#(ForgedToken.signIn)""#, #""role":"admin""#, #""iat":1800000000"#,
            #""exp":1800000900"#, #""iss":"learntrack""#, #""aud":"learntrack""#,
        ] {
            #expect(claims.contains(claim), "\(claims)")
        }
    }

    @Test func `a token names additional roles with their subjects, and has no such claim without them`() throws {
        let tokens = try tokens()
        let roles = [HeldRole(role: "driver", subject: 7), HeldRole(role: "viewer", subject: nil)]
        let user = AuthenticatedUser(
            member: Member(company: 1, id: 7), account: 7, signInID: ForgedToken.signIn, role: "user",
            additionalRoles: roles)
        let token = try tokens.issue(for: user)
        #expect(try tokens.verify(token).user == user)
        func claims(of token: String) throws -> String {
            String(decoding: try #require(Base64URL.decode(token.split(separator: ".")[1].utf8)), as: UTF8.self)
        }
        #expect(try claims(of: token).contains(#""roles":[{"role":"driver","subject":7},{"role":"viewer"}]"#))
        #expect(try !claims(of: tokens.issue(for: caller)).contains("roles"))
    }

    @Test func `a token says how often its member was deactivated, and nothing of one that never was`() throws {
        let tokens = try tokens()
        let user = AuthenticatedUser(
            member: Member(company: 1, id: 7), account: 7, signInID: ForgedToken.signIn, role: "user", deactivations: 2)
        let token = try tokens.issue(for: user)
        #expect(try tokens.verify(token).user == user)
        func claims(of token: String) throws -> String {
            String(decoding: try #require(Base64URL.decode(token.split(separator: ".")[1].utf8)), as: UTF8.self)
        }
        #expect(try claims(of: token).contains(#""deactivations":2"#))
        #expect(try !claims(of: tokens.issue(for: caller)).contains("deactivations"))
    }

    @Test(arguments: [
        (1, 7, 7, "7"), (2, 7, 7, "7.2.7"), (1, 9, 7, "7.1.9"), (3, 12, 7, "7.3.12"),
    ])
    func `the subject names the account, and what an old server would take for another member`(
        company: Int64, member: Int64, account: Int64, subject: String
    ) throws {
        let tokens = try tokens()
        let user = AuthenticatedUser(
            member: Member(company: company, id: member), account: account, signInID: ForgedToken.signIn, role: "user")
        let token = try tokens.issue(for: user)
        let claims = String(
            decoding: try #require(Base64URL.decode(token.split(separator: ".")[1].utf8)), as: UTF8.self)
        #expect(claims.contains("\"sub\":\"\(subject)\""), "\(claims)")
        #expect(try tokens.verify(token).user == user)
    }

    @Test(arguments: ["7.1.7", "7.2", "7.2.0", "7.2.9.1", "7..9", "7.2.09", ".2.9", "7.2.9 ", "7.-2.9"])
    func `a subject in another form than that of a token here is invalid`(subject: String) throws {
        let token = try ForgedToken.make(
            header: ForgedToken.header(), claims: ForgedToken.claims(["sub": "\"\(subject)\""]))
        let tokens = try tokens()
        #expect(throws: TokenError.invalid) { try tokens.verify(token) }
    }

    @Test func `a token with 32 roles of the longest names is valid`() throws {
        let tokens = try tokens()
        let roles = (0..<32).map { HeldRole(role: String(repeating: "a", count: 52), subject: .max - $0) }
        let user = AuthenticatedUser(
            member: Member(company: 1, id: .max), account: .max, signInID: ForgedToken.signIn, role: "user",
            additionalRoles: roles)
        #expect(try tokens.verify(tokens.issue(for: user)).user == user)
    }

    @Test(
        arguments: [
            ("an object", #"{"role":"driver","subject":7}"#), ("a text", #""driver""#), ("texts", #"["driver"]"#),
            ("no name", #"[{"subject":7}]"#), ("an empty name", #"[{"role":"","subject":7}]"#),
            ("a name that is a number", #"[{"role":7}]"#),
            ("a subject in digits", #"[{"role":"driver","subject":"7"}]"#),
            ("subject 0", #"[{"role":"driver","subject":0}]"#), ("a fraction", #"[{"role":"driver","subject":1.5}]"#),
            ("past 64 bits", #"[{"role":"driver","subject":9223372036854775808}]"#),
            ("a member twice", #"[{"role":"viewer","role":"driver"}]"#),
        ])
    func `a token with a wrong claim of additional roles is invalid`(what: String, roles: String) throws {
        let tokens = try tokens()
        let token = try ForgedToken.make(header: ForgedToken.header(), claims: ForgedToken.claims(["roles": roles]))
        #expect(throws: TokenError.invalid, "\(what)") { try tokens.verify(token) }
    }

    @Test func `a handmade token with the same parts is valid`() throws {
        let token = try ForgedToken.make(header: ForgedToken.header(), claims: ForgedToken.claims())
        let tokens = try tokens()
        #expect(
            try tokens.verify(token).user
                == AuthenticatedUser(
                    member: Member(company: 1, id: 7), account: 7, signInID: ForgedToken.signIn, role: "user"))
        let several = try ForgedToken.make(
            header: ForgedToken.header(), claims: ForgedToken.claims(["aud": #"["autre","learntrack"]"#]))
        #expect(throws: Never.self) { try tokens.verify(several) }
    }

    @Test(
        arguments: [
            ("no algorithm", ["alg": #""none""#]),
            ("no algorithm, otherwise spelt", ["alg": #""None""#]),
            ("another algorithm", ["alg": #""HS512""#]),
            ("an algorithm of public keys", ["alg": #""RS256""#]),
            ("algorithm left out", ["alg": nil]),
            ("another type", ["typ": #""JWT""#]),
            ("type left out", ["typ": nil]),
            ("an unknown key", ["kid": #""00000000""#]),
            ("key left out", ["kid": nil]),
            ("key that is null", ["kid": "null"]),
            ("critical extension", ["crit": #"["b64"]"#]),
            ("empty list of extensions", ["crit": "[]"]),
            ("null list of extensions", ["crit": "null"]),
        ] as [(String, [String: String?])])
    func `a token with one wrong member in its header is invalid`(what: String, changes: [String: String?]) throws {
        let token = try ForgedToken.make(header: ForgedToken.header(changes), claims: ForgedToken.claims())
        let tokens = try tokens()
        #expect(throws: TokenError.invalid, "\(what)") { try tokens.verify(token) }
    }

    @Test(
        arguments: [
            ("no expiry", ["exp": nil], .invalid),
            ("null expiry", ["exp": "null"], .invalid),
            ("expiry as text", ["exp": #""1800000900""#], .invalid),
            ("expired", ["exp": "1799999970"], .expired),
            ("another issuer", ["iss": #""supabase""#], .invalid),
            ("no issuer", ["iss": nil], .invalid),
            ("another audience", ["aud": #""authenticated""#], .invalid),
            ("no audience", ["aud": nil], .invalid),
            ("empty audience", ["aud": "[]"], .invalid),
            ("no subject", ["sub": nil], .invalid),
            ("subject that is no id", ["sub": #""anne""#], .invalid),
            ("subject with a sign", ["sub": #""+7""#], .invalid),
            ("negative subject", ["sub": #""-7""#], .invalid),
            ("subject past 64 bits", ["sub": #""9223372036854775808""#], .invalid),
            ("no sign-in", ["sid": nil], .invalid),
            ("sign-in that is no id", ["sid": #""1 OR 1=1""#], .invalid),
            ("no role", ["role": nil], .invalid),
            ("unknown role", ["role": #""root""#], .invalid),
            ("not good yet", ["nbf": "1800000031"], .invalid),
        ] as [(String, [String: String?], TokenError)])
    func `a token with one wrong claim is rejected`(what: String, changes: [String: String?], expected: TokenError)
        throws
    {
        let token = try ForgedToken.make(header: ForgedToken.header(), claims: ForgedToken.claims(changes))
        let tokens = try tokens()
        #expect(throws: expected, "\(what)") { try tokens.verify(token) }
    }

    @Test func `a difference of half a minute between clocks is tolerated`() throws {
        let tokens = try tokens()
        for changes in [["exp": "1799999971"], ["nbf": "1800000030"]] {
            let token = try ForgedToken.make(header: ForgedToken.header(), claims: ForgedToken.claims(changes))
            #expect(throws: Never.self) { try tokens.verify(token) }
        }
    }

    @Test func `a token without a signature by one of the secrets is invalid`() throws {
        let tokens = try tokens()
        let header = try ForgedToken.header(), claims = ForgedToken.claims()
        let foreign = ForgedToken.make(header: header, claims: claims, secret: ForgedToken.otherSecret)
        let good = ForgedToken.make(header: header, claims: claims)
        let parts = good.split(separator: ".")
        let unsigned = "\(parts[0]).\(parts[1])"
        for token in [foreign, unsigned + ".", unsigned, good + "A", good + ".", "." + good] {
            #expect(throws: TokenError.invalid) { try tokens.verify(token) }
        }
        let otherClaims = Base64URL.encode(Array(ForgedToken.claims(["role": #""admin""#]).utf8))
        #expect(throws: TokenError.invalid) { try tokens.verify("\(parts[0]).\(otherClaims).\(parts[2])") }
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b.c", "e30.e30.e30", String(repeating: "a", count: 5000), "é.é.é",
        // A number past 64 bits, a member of another type, deep nesting.
        Base64URL.encode(Array(#"{"alg":"HS256","typ":"at+jwt","kid":"x","n":1e300}"#.utf8)) + ".e30.AA",
        Base64URL.encode(Array(#"{"alg":"HS256","typ":"at+jwt","kid":["x"]}"#.utf8)) + ".e30.AA",
        Base64URL.encode(Array(String(repeating: "[", count: 2000).utf8)) + ".e30.AA",
    ])
    func `malformed texts are invalid and do not stop the process`(token: String) throws {
        let tokens = try tokens()
        #expect(throws: TokenError.invalid) { try tokens.verify(token) }
    }

    @Test func `a refresh token is not an access token`() throws {
        let refresh = try RefreshTokenIssuer(secrets: SigningSecret.list(ForgedToken.secret)).firstToken(
            of: ForgedToken.signIn)
        let tokens = try tokens()
        #expect(throws: TokenError.invalid) { try tokens.verify(refresh.text) }
    }

    @Test func `the first of several secrets signs, all verify, and a removed one no longer does`() throws {
        let old = try tokens(ForgedToken.otherSecret)
        let both = try tokens(ForgedToken.secret + "," + ForgedToken.otherSecret)
        let new = try tokens(ForgedToken.secret)
        let oldToken = try old.issue(for: caller)
        let newToken = try both.issue(for: caller)
        #expect(try both.verify(oldToken).user == caller)
        #expect(try new.verify(newToken).user == caller)
        #expect(throws: TokenError.invalid) { try new.verify(oldToken) }
        #expect(throws: TokenError.invalid) { try old.verify(newToken) }
    }

    @Test func `a secret is the bytes of its text, at least 32, and its key id is the start of its SHA-256`() throws {
        #expect(throws: SigningSecretError.empty) { try SigningSecret.list("") }
        #expect(throws: SigningSecretError.tooShort(bytes: 31)) {
            try SigningSecret.list(String(repeating: "a", count: 31))
        }
        #expect(throws: SigningSecretError.empty) { try SigningSecret.list(ForgedToken.secret + ",") }
        // From `sha256sum`, for thirty-two letters a.
        #expect(try SigningSecret(String(repeating: "a", count: 32)).keyID == "3ba3f5f4")
    }
}
