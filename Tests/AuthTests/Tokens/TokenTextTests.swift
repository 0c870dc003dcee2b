import PostgresDriver
import TestSupport
import Testing

@testable import Auth

/// security.md: "A token's JSON is strict (RFC 7515 4, 7519 7.2): duplicate members, trailing comma, BOM, UTF-16,
/// ill-formed UTF-8, lone surrogates are refused, also in Supabase's; `exp` and `iat` are sane numbers".
struct TokenTextTests {
    /// Texts of one JSON object that a strict reader refuses.
    private static func faults(_ text: String) -> [(fault: String, text: [UInt8])] {
        let open = String(text.dropLast())
        let utf16 = Array(text.utf16)
        return [
            ("a duplicate member", Array((open + ",\"a\":1,\"a\":1}").utf8)),
            (
                "a duplicate of a known member",
                Array((open + ",\"sub\":\"8\",\"alg\":\"HS256\"," + text.dropFirst()).utf8)
            ),
            ("a duplicate member inside", Array((open + ",\"a\":{\"b\":1,\"b\":2}}").utf8)),
            ("a duplicate member in another spelling", Array((open + ",\"a\":1,\"\\u0061\":2}").utf8)),
            ("a trailing comma", Array((open + ",}").utf8)),
            ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array(text.utf8)),
            ("UTF-16LE", utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }),
            ("UTF-16BE with a byte order mark", [0xFE, 0xFF] + utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }),
            ("ill-formed UTF-8", Array((open + ",\"a\":\"").utf8) + [0xC3, 0x28] + Array("\"}".utf8)),
            ("a lone surrogate", Array((open + ",\"a\":\"\\ud800\"}").utf8)),
            ("a lone surrogate in a name", Array((open + ",\"\\udc00\":1}").utf8)),
            ("text after the object", Array((text + "{}").utf8)),
            ("a comment", Array((open + "/* */}").utf8)),
            ("an array", Array(("[" + text + "]").utf8)),
        ]
    }

    private static let times = ["\"1800000900\"", "true", "null", "[1800000900]", "-1", "1e300", "1e400", "9e15"]

    @Test func `a token is strict JSON with plausible times`() throws {
        let tokens = try AccessTokens(
            secrets: SigningSecret.list(ForgedToken.secret), issuer: "learntrack", roles: ["user"],
            clock: { 1_800_000_000 })
        let (header, claims) = (try ForgedToken.header(), ForgedToken.claims())
        #expect(throws: Never.self) { try tokens.verify(ForgedToken.make(header: header, claims: claims)) }
        for (fault, text) in Self.faults(claims) {
            let token = ForgedToken.make(header: Array(header.utf8), claims: text, secret: ForgedToken.secret)
            #expect(throws: TokenError.invalid, "claims: \(fault)") { try tokens.verify(token) }
        }
        for (fault, text) in Self.faults(header) {
            let token = ForgedToken.make(header: text, claims: Array(claims.utf8), secret: ForgedToken.secret)
            #expect(throws: TokenError.invalid, "header: \(fault)") { try tokens.verify(token) }
        }
        for (name, time) in ["exp", "iat"].flatMap({ name in Self.times.map { (name, $0) } }) {
            let token = ForgedToken.make(header: header, claims: ForgedToken.claims([name: time]))
            #expect(throws: TokenError.invalid, "\(name): \(time)") { try tokens.verify(token) }
        }
        let future = ForgedToken.make(header: header, claims: ForgedToken.claims(["iat": "1800000031"]))
        #expect(throws: TokenError.invalid) { try tokens.verify(future) }
    }

    @Test func `a token of Supabase is strict JSON with plausible times`() async throws {
        let client = PostgresClient(PostgresClient.Configuration(connectionString: "host=/nowhere"))
        let secret = ForgedToken.otherSecret
        let supabase = SupabaseAuthenticator(
            secret: try SigningSecret(secret), database: AuthDatabase(client: client),
            revocations: RevocationList(clock: { 1_800_000_000 }), roles: ["user"], clock: { 1_800_000_000 })
        func verify(_ header: [UInt8], _ claims: [UInt8]) throws {
            let token = ForgedToken.make(header: header, claims: claims, secret: secret)
            _ = try supabase.verify(Substring(token), of: token)
        }
        let header = #"{"alg":"HS256","typ":"JWT"}"#
        func claims(_ exp: String = "1800000900", _ iat: String = "1800000000") -> String {
            """
            {"aud":"authenticated","exp":\(exp),"iat":\(iat),"iss":"https://abcdefghijkl.supabase.co/auth/v1",\
            "role":"authenticated",\
            "sub":"5f0c7b1e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"}
            """
        }
        #expect(throws: Never.self) { try verify(Array(header.utf8), Array(claims().utf8)) }
        for (fault, text) in Self.faults(claims()) {
            #expect(throws: TokenError.invalid, "claims: \(fault)") { try verify(Array(header.utf8), text) }
        }
        for (fault, text) in Self.faults(header) {
            #expect(throws: TokenError.invalid, "header: \(fault)") { try verify(text, Array(claims().utf8)) }
        }
        for time in Self.times {
            #expect(throws: TokenError.invalid, "exp: \(time)") {
                try verify(Array(header.utf8), Array(claims(time).utf8))
            }
            guard time != "null" else { continue }
            #expect(throws: TokenError.invalid, "iat: \(time)") {
                try verify(Array(header.utf8), Array(claims("1800000900", time).utf8))
            }
        }
        await client.shutdown()
    }
}
