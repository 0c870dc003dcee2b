import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct RoutesTests {
    @Test(arguments: [
        "application/json", "application/json-rpc", "application/jsonrequest", "Application/JSON",
        "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "application/json ; odd=1", " ",
    ]) func `JSON bodies are accepted under each of their media types`(type: String) async throws {
        try await TestServer.run { server in
            let response = try await server.send(
                "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: \(type)\r\nContent-Length: 2\r\n\r\n[]")
            #expect(response.status == 200)
            #expect(response["Content-Type"] == "application/json")
            #expect(response.text == "[]")
        }
    }

    @Test func `an endpoint for this machine has no clients elsewhere and none behind a proxy`() async throws {
        var endpoint = Endpoint.metrics { "x 1\n" }
        endpoint.isLocal = true
        for (headers, status) in [("", 200), ("Via: 1.1 x\r\n", 404), ("X-Forwarded-Proto: https\r\n", 404)] {
            try await TestServer.run(endpoints: [endpoint]) { server in
                let response = try await server.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\(headers)\r\n")
                #expect(response.status == status, "\(headers)")
            }
        }
        // A proxy that is configured may be one that adds no header.
        let trusted = try #require(TrustedProxies(["127.0.0.1"]))
        try await TestServer.run(endpoints: [endpoint], configure: { $0.trustedProxies = trusted }) { server in
            let response = try await server.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(response.status == 404)
        }
        for (address, isLoopback) in [
            ("127.0.0.1", true), ("127.8.9.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("192.0.2.1", false),
            ("12.7.0.1", false), ("::ffff:192.0.2.1", false), ("fd00::1", false),
        ] {
            #expect(ConnectionShare.isLoopback(address) == isLoopback, "\(address)")
        }
    }

    @Test func `an endpoint of local hosts is none for a name that a foreign site lets resolve to this machine`()
        async throws
    {
        var endpoint = Endpoint.metrics { "x 1\n" }
        endpoint.hosts = LocalHosts(["learntrack.lan"])
        try await TestServer.run(endpoints: [endpoint]) { server in
            for (host, status) in [
                ("localhost", 200), ("LOCALHOST:8080", 200), ("a.localhost", 200), ("127.0.0.1:8080", 200),
                ("192.0.2.7", 200), ("[::1]", 200), ("[::1]:8080", 200), ("LearnTrack.lan:8080", 200),
                ("evil.example", 404), ("evil.example:8080", 404), ("localhost.evil.example", 404),
                ("localhost:80@evil.example", 400), ("127.0.0.1.evil.example", 404), ("[::1].evil.example", 400),
                ("[::1", 400), ("localhost:", 200),
            ] {
                let response = try await server.send("GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(response.status == status, "\(host)")
            }
            let old = try await server.send("GET /metrics HTTP/1.0\r\n\r\n")
            #expect(old.status == 404)
        }
    }

    @Test(arguments: [
        "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]",
        "POST /rpc?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]",
        "POST http://x/rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n",
    ]) func `a call may be sent in several forms of HTTP`(request: String) async throws {
        try await TestServer.run { server in
            let response = try await server.send(request)
            #expect(response.status == 200)
            #expect(response.text == "[]")
        }
    }

    @Test(arguments: [
        ("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 404, "not_found", nil),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404, "not_found", nil),
        ("POST /rpc/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]", 404, "not_found", nil),
        ("GET /rpc HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed", "POST"),
        ("PUT /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]", 405, "method_not_allowed", "POST"),
        ("OPTIONS /rpc HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed", "POST"),
        ("BREW /rpc HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request", nil),
        ("DELETE /health/live HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed", "GET, HEAD"),
        (
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]", 415,
            "unsupported_media_type", nil
        ),
        (
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json;charset=latin1\r\nContent-Length: 2\r\n\r\n[]",
            415, "unsupported_media_type", nil
        ),
        (
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n[]", 415,
            "unsupported_media_type", nil
        ),
    ]) func `a request that is not a call is refused, and the handler writes the body`(
        request: String, status: Int, code: String, allowed: String?
    ) async throws {
        try await TestServer.run { server in
            let response = try await server.send(request)
            #expect(response.status == status)
            #expect(response["Allow"] == allowed)
            #expect(response["Content-Type"] == "application/json")
            #expect(response.text == "\(code) \(response["X-Request-Id"] ?? "")")
        }
    }

    @Test func `the connection stays open after a refused request whose body was read`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            connection.send("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" + post("[1]"))
            #expect(try await connection.response().status == 404)
            #expect(try await connection.response().text == "[1]")
            connection.close()
        }
    }

    @Test func `a response without body has status 204`() async throws {
        try await TestServer.run(Answers { _, _ in .noContent }) { server in
            let connection = try await server.connect()
            connection.send(post("[]") + post("[]"))
            let response = try await connection.response()
            #expect(response.status == 204)
            #expect(response["Content-Length"] == nil)
            #expect(response["Content-Type"] == nil)
            #expect(try await connection.response().status == 204)
            connection.close()
        }
    }

    @Test func `endpoints answer GET and HEAD`() async throws {
        let endpoints: [Endpoint] = [
            Endpoint("/", fixed: .text("<html>", contentType: "text/html; charset=utf-8")), .live,
            .ready { .notReady("no \"database\"") }, .metrics { "a 1\n" },
            Endpoint("/openrpc.json", fixed: .text("{}", contentType: "application/json")),
        ]
        try await TestServer.run(endpoints: endpoints) { server in
            let page = try await server.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.text == "<html>")
            let head = try await server.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(head["Content-Length"] == String(page.body.count))
            #expect(head.body.isEmpty)
            let ready = try await server.send("GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(ready.status == 503)
            #expect(ready.text == #"{"status":"unavailable","reason":"no \"database\""}"#)
            #expect(try await server.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
            #expect(try await server.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").text == "a 1\n")
            #expect(try await server.send("GET /openrpc.json?x HTTP/1.1\r\nHost: x\r\n\r\n").text == "{}")
        }
    }

    @Test func `an endpoint that takes bodies receives the whole request`() async throws {
        let files = Endpoint("/files/", methods: [.PUT, .GET, .HEAD], bodyBytes: 10) { request in
            let query = (request.query ?? []).map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            let type = request.headers.first(name: "Content-Type") ?? "-"
            return .text(
                "\(request.method.rawValue) \(request.subpath) \(query) \(type) \(String(buffer: request.body))",
                contentType: "text/plain")
        }
        try await TestServer.run(endpoints: [files]) { server in
            func answer(_ head: String, _ body: String = "") async throws -> TestResponse {
                try await server.send(
                    "\(head) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            #expect(try await answer("PUT /files/a/b?c=d+e", "0123456789").text == "PUT a/b c=d e - 0123456789")
            #expect(try await answer("GET /files/a").text == "GET a  - ")
            #expect(try await answer("GET http://x/files/").text == "GET   - ")
            let long = try await answer("PUT /files/a", "0123456789a")
            #expect(long.status == 413)
            #expect(long.text.hasPrefix("limit_exceeded "))
            let refused = try await answer("DELETE /files/a")
            #expect(refused.status == 405)
            #expect(refused["Allow"] == "PUT, GET, HEAD")
            #expect(try await answer("GET /files").status == 404)
            #expect(try await answer("GET /filesa/b").status == 404)
            let packed = try await server.send(
                "PUT /files/a HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\na")
            #expect(packed.status == 415)
        }
    }

    @Test func `an endpoint has the paths that it names and those with the number of a record`() async throws {
        let recorder = EventRecorder<RequestEvent>()
        var files = Endpoint("/app/") { .text($0.subpath, contentType: "text/plain") }
        files.subpaths = ["a.js", "b/c.js"]
        let pages = ["/books", "/books/{id}", "/books/{id}/edit", "/authors/{id}/books/{id}"]
            .map { path in Endpoint(path, fixed: .text(path, contentType: "text/plain")) }
        try await TestServer.run(endpoints: [files] + pages, observers: [recorder]) { server in
            func answer(_ head: String) async throws -> TestResponse {
                try await server.send("\(head) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            for (target, text) in [
                ("/app/a.js", "a.js"), ("/app/b/c.js", "b/c.js"), ("/books", "/books"), ("/books/1?q=x", "/books/{id}"),
                ("/books/9223372036854775807", "/books/{id}"), ("/books/20/edit", "/books/{id}/edit"),
                ("/authors/3/books/40", "/authors/{id}/books/{id}"),
            ] {
                let found = try await answer("GET \(target)")
                #expect(found.status == 200, "\(target)")
                #expect(found.text == text)
            }
            for target in [
                "/app/", "/app/b.js", "/app/a.js/", "/books/", "/books/0", "/books/01", "/books/-1", "/books/1x",
                "/books/{id}",
                "/books/9223372036854775808", "/books/1/", "/books/1/delete", "/books/1/edit/2", "/Books",
            ] {
                let missing = try await answer("GET \(target)").status
                #expect(missing == 404, "\(target)")
                let refused = try await answer("DELETE \(target)").status
                #expect(refused == 404, "\(target)")
            }
            for target in ["/app/a.js", "/books/1"] {
                let refused = try await answer("DELETE \(target)").status
                #expect(refused == 405, "\(target)")
            }
        }
        #expect(Set(recorder.all.compactMap(\.path)) == Set(["/app/"] + pages.map(\.path)))
    }

    @Test func `the log names the path of the endpoint and not the one that was requested`() async throws {
        let recorder = EventRecorder<RequestEvent>()
        let documents = Endpoint("/documents/") { _ in .text("", contentType: "text/plain") }
        try await TestServer.run(endpoints: [documents], observers: [recorder]) { server in
            let response = try await server.send("GET /documents/secret HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(response.status == 200)
        }
        #expect(recorder.all.map(\.path) == ["/documents/"])
    }

    @Test func `readiness does not wait for a check that does not return`() async throws {
        let ready = Endpoint.ready(deadline: .milliseconds(20)) {
            // Ignores its cancellation, as a check that blocks does.
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Task.detached {
                    try? await Task.sleep(for: .seconds(3))
                    continuation.resume()
                }
            }
            return .ready
        }
        try await TestServer.run(endpoints: [ready]) { server in
            let response = try await server.send("GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(response.status == 503)
            #expect(response.text.contains("timeout"))
        }
    }
}
