import DomainKit
import JSON
import TestSupport
import Testing

/// front.md: "Refresh token: cookie `HttpOnly; SameSite=Strict; Path=/rpc` (`Secure` over https; Max-Age with 'Rester
/// connecté') … It serves `auth.refresh`, `auth.logout` alone", "refused cross-origin and in batches".
struct SignInCookieTests {
    /// An answer with the cookie that it sets.
    private struct Answer {
        let body: JSONValue
        let setCookie: String?

        /// The cookie as a browser sends it back.
        var cookie: (String, String) { ("Cookie", String(setCookie?.prefix { $0 != ";" } ?? "")) }
        /// The attributes of the cookie behind its value.
        var attributes: String { String(setCookie?.drop { $0 != ";" } ?? "") }
    }

    private static func call(
        _ method: String, _ params: JSONValue = [:], headers: [(String, String)] = [], token: String? = nil,
        on server: TestServer
    ) async throws -> Answer {
        let request: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": params]
        let response = try await RPCClient(port: server.port, token: token).post(request.json, headers: headers)
        return Answer(body: try JSONValue.parse(response.body), setCookie: response.headers["set-cookie"])
    }

    private static func login(
        _ cookie: JSONValue, headers: [(String, String)] = [], on server: TestServer
    ) async throws -> Answer {
        try await call(
            "auth.login",
            ["email": .string(TestServer.user), "password": .string(TestServer.password), "cookie": cookie],
            headers: headers, on: server)
    }

    private static let lasting = "; Path=/rpc; HttpOnly; SameSite=Strict; Max-Age=2592000"
    private static let untilClosed = "; Path=/rpc; HttpOnly; SameSite=Strict"
    private static let removed = "refresh_token=; Path=/rpc; HttpOnly; SameSite=Strict; Max-Age=0"

    @Test(arguments: [("persistent", lasting), ("session", untilClosed)])
    func `a sign-in by cookie keeps its token from scripts, and each refresh renews the cookie as it was`(
        lifetime: String, attributes: String
    ) async throws {
        let server = try await TestServer.running()
        let signedIn = try await Self.login(.string(lifetime), on: server)
        #expect(signedIn.attributes == attributes)
        #expect(signedIn.body.at("/result/refresh_token") == .null)
        #expect(signedIn.body.at("/result/user/email") == .string(TestServer.user))
        let first = try #require(signedIn.body.at("/result/access_token").text)
        #expect(try await RPCClient(port: server.port, token: first).response("auth.me")["result"] != nil)

        let refreshed = try await Self.call("auth.refresh", headers: [signedIn.cookie], on: server)
        #expect(refreshed.attributes == attributes)
        #expect(refreshed.cookie.1 != signedIn.cookie.1)
        #expect(refreshed.body.at("/result/refresh_token") == .null)
        let second = try #require(refreshed.body.at("/result/access_token").text)
        #expect(try await RPCClient(port: server.port, token: second).response("auth.me")["result"] != nil)
        // Another tab that refreshes at the same moment gets the same successor.
        let again = try await Self.call("auth.refresh", headers: [signedIn.cookie], on: server)
        #expect(again.setCookie == refreshed.setCookie)
    }

    @Test func `a sign-out by cookie ends the sign-in and removes the cookie, and so does a refused refresh`()
        async throws
    {
        let server = try await TestServer.running()
        let signedIn = try await Self.login("persistent", on: server)
        let others = ("Cookie", "theme=dark; \(signedIn.cookie.1); other=1")
        let signedOut = try await Self.call("auth.logout", headers: [others], on: server)
        #expect(signedOut.body["result"] == [:])
        #expect(signedOut.setCookie == Self.removed)
        let access = signedIn.body.at("/result/access_token").text
        let me = try await RPCClient(port: server.port, token: access).refusal("auth.me")
        #expect(me.at("/data/reason") == "revoked")

        let refused = try await Self.call("auth.refresh", headers: [signedIn.cookie], on: server)
        #expect(refused.body.at("/error/data/reason") == "revoked")
        #expect(refused.setCookie == Self.removed)
        for foreign in ["refresh_token=x", "refresh_token=persistent.x", "refresh_token=session."] {
            let answer = try await Self.call("auth.refresh", headers: [("Cookie", foreign)], on: server)
            #expect(answer.body.at("/error/data/reason") == "invalid", "\(foreign)")
            #expect(answer.setCookie == Self.removed, "\(foreign)")
        }
    }

    @Test func `without a token and a cookie a refresh says what is missing, and a sign-out has nothing to end`()
        async throws
    {
        let server = try await TestServer.running()
        for headers in [[], [("Cookie", "theme=dark")], [("Cookie", "xrefresh_token=a; refresh_token=")]] {
            let refused = try await Self.call("auth.refresh", headers: headers, on: server)
            #expect(refused.body.at("/error/code") == 401)
            #expect(refused.body.at("/error/data/reason") == "missing")
            #expect(refused.setCookie == nil)
            #expect(try await Self.call("auth.logout", headers: headers, on: server).body["result"] == [:])
        }
    }

    @Test func `a token among the params is answered with a token, whatever cookie there is`() async throws {
        let server = try await TestServer.running()
        let kept = try await Self.login("persistent", on: server)
        let other = try await Self.login(.null, on: server)
        #expect(other.setCookie == nil)
        let token = other.body.at("/result/refresh_token")
        let refreshed = try await Self.call(
            "auth.refresh", ["refresh_token": token], headers: [kept.cookie, ("Origin", "https://evil.example")],
            on: server)
        #expect(refreshed.setCookie == nil)
        let next = refreshed.body.at("/result/refresh_token")
        #expect(next.text?.isEmpty == false)
        let out = try await Self.call("auth.logout", ["refresh_token": next], headers: [kept.cookie], on: server)
        #expect(out.setCookie == nil)
        #expect(try await Self.call("auth.refresh", headers: [kept.cookie], on: server).body["result"] != nil)
    }

    /// The host of the test client is `localhost`, without a port.
    @Test(arguments: [
        [("Origin", "https://evil.example")], [("Origin", "http://localhost:1")], [("Origin", "null")],
        [("Origin", "http://localhost.evil.example")], [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "none")],
        [("Sec-Fetch-Site", "same-origin"), ("Origin", "https://evil.example")],
        [("Origin", "http://localhost"), ("Sec-Fetch-Site", "cross-site")],
    ])
    func `a page of another site neither sets the cookie nor uses it`(headers: [(String, String)]) async throws {
        let server = try await TestServer.running()
        let kept = try await Self.login("session", on: server)
        let message =
            "Cette page est d’un autre site\u{202F}: le cookie de connexion ne sert qu’aux pages de ce service."
        for method in ["auth.refresh", "auth.logout"] {
            let refused = try await Self.call(method, headers: headers + [kept.cookie], on: server)
            #expect(refused.body.at("/error/code") == 403, "\(method)")
            #expect(refused.body.at("/error/message") == .string(message))
            #expect(refused.setCookie == nil, "\(method)")
        }
        let login = try await Self.login("session", headers: headers, on: server)
        #expect(login.body.at("/error/code") == 403)
        #expect(login.setCookie == nil)
        #expect(try await Self.call("auth.refresh", headers: [kept.cookie], on: server).body["result"] != nil)
    }

    @Test(arguments: [
        [("Origin", "http://localhost")], [("Origin", "http://localhost"), ("Sec-Fetch-Site", "same-origin")],
        [("Sec-Fetch-Site", "same-origin")],
    ])
    func `a page of the own site signs in, refreshes and signs out by cookie`(headers: [(String, String)]) async throws
    {
        let server = try await TestServer.running()
        let kept = try await Self.login("session", headers: headers, on: server)
        let next = try await Self.call("auth.refresh", headers: headers + [kept.cookie], on: server)
        #expect(next.body["result"] != nil)
        let out = try await Self.call("auth.logout", headers: headers + [next.cookie], on: server)
        #expect(out.body["result"] == [:])
    }

    @Test func `a batch neither sets the cookie nor uses it`() async throws {
        let server = try await TestServer.running()
        let kept = try await Self.login("session", on: server)
        let calls: [(method: String, params: JSONValue, path: String)] = [
            (
                "auth.login",
                ["email": .string(TestServer.user), "password": .string(TestServer.password), "cookie": "session"],
                "/cookie"
            ),
            ("auth.refresh", [:], "/refresh_token"), ("auth.logout", [:], "/refresh_token"),
        ]
        for call in calls {
            let request: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": .string(call.method), "params": call.params]
            let response = try await server.client(nil).post("[\(request.json)]", headers: [kept.cookie])
            let error = try JSONValue.parse(response.body).at("/0/error")
            #expect(error["code"] == -32602, "\(call.method)")
            #expect(error.at("/data/errors/0/path") == .string(call.path))
            #expect(
                error["message"] == "Appelez cette méthode hors d’un lot\u{202F}: un lot ne lit ni ne pose de cookie.")
            #expect(response.headers["set-cookie"] == nil)
        }
        #expect(try await Self.call("auth.refresh", headers: [kept.cookie], on: server).body["result"] != nil)
    }

    @Test func `the cookie is no access token`() async throws {
        let server = try await TestServer.running()
        let kept = try await Self.login("persistent", on: server)
        for method in ["auth.me", "sessions.list", "auth.list_sign_ins"] {
            let refused = try await Self.call(method, headers: [kept.cookie], on: server)
            #expect(refused.body.at("/error/data/reason") == "missing", "\(method)")
        }
    }

    @Test func `behind a proxy that does TLS, and for a page over TLS, the cookie travels over TLS only`() async throws
    {
        let server = try await TestServer.start(["--behind-proxy", "--public-url", "https://learntrack.exemple.fr"])
        let kept = try await Self.login("persistent", on: server)
        #expect(kept.attributes == "; Path=/rpc; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000")
        for origin in ["https://learntrack.exemple.fr", "https://localhost"] {
            let next = try await Self.call(
                "auth.refresh", headers: [kept.cookie, ("Origin", origin)], on: server)
            #expect(next.attributes.contains("; Secure"), "\(origin)")
        }
        for origin in ["http://learntrack.exemple.fr", "http://localhost", "https://learntrack.exemple.fr:8443"] {
            let refused = try await Self.call(
                "auth.refresh", headers: [kept.cookie, ("Origin", origin)], on: server)
            #expect(refused.body.at("/error/code") == 403, "\(origin)")
        }
        let out = try await Self.call("auth.logout", headers: [kept.cookie], on: server)
        #expect(out.setCookie == "refresh_token=; Path=/rpc; HttpOnly; SameSite=Strict; Secure; Max-Age=0")
        let open = try await TestServer.running()
        let overTLS = try await Self.login("session", headers: [("Origin", "https://localhost")], on: open)
        #expect(overTLS.attributes == "; Path=/rpc; HttpOnly; SameSite=Strict; Secure")
    }

    @Test func `over HTTP/2 the cookie is set and read too`() async throws {
        let tls = try await TLSServer.running()
        let login: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "auth.login",
            "params": [
                "email": .string(TestServer.user), "password": .string(TestServer.password), "cookie": "persistent",
            ],
        ]
        let json = ["--http2", "-H", "Content-Type: application/json"]
        let signedIn = try await tls.curl("/rpc", json + ["-d", login.json])
        let cookie = try #require(signedIn["set-cookie"])
        #expect(cookie.contains("; Secure"))
        let refresh: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": "auth.refresh"]
        let pair = String(cookie.prefix { $0 != ";" })
        let refreshed = try await tls.curl(
            "/rpc", json + ["-H", "Cookie: theme=dark", "-H", "Cookie: \(pair)", "-d", refresh.json])
        #expect(try JSONValue.parse(Array(refreshed.body.utf8))["result"] != nil)
        #expect(refreshed["set-cookie"]?.contains("; Secure") == true)
    }

    @Test func `all sign-ins of an account end only with a token that says whose`() async throws {
        let server = try await TestServer.running()
        let access = try #require(try await Self.login(.null, on: server).body.at("/result/access_token").text)
        let refused = try await Self.call("auth.logout", ["everywhere": true], token: access, on: server)
        #expect(refused.body.at("/error/code") == -32602)
        #expect(refused.body.at("/error/data/errors/0/path") == "/refresh_token")
        let nothing = try await Self.call("auth.logout", on: server)
        #expect(nothing.body["result"] == [:])
    }

    @Test func `no log line has the cookie`() async throws {
        let server = try await TestServer.start(["--log-level", "trace"])
        let kept = try await Self.login("persistent", on: server)
        _ = try await Self.call("auth.refresh", headers: [kept.cookie], on: server)
        let token = try #require(kept.cookie.1.split(separator: ".").last)
        #expect(!(server.process.output + server.process.errors).contains(token))
    }
}
