import Foundation
import TestPostgres
import TestSupport
import Testing

/// front.md, "Serving", with a small front.
@Suite struct FrontTests {
    private static let policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'; style-src 'self'; "
        + "img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
        + "require-trusted-types-for 'script'"
    private static let script = String(repeating: "export const one = 1;\n", count: 200)

    /// The server has read the files when it is ready. The folder is removed with its value.
    private static let shared = Shared {
        let folder = try FrontTests.folder()
        defer { withExtendedLifetime(folder) {} }
        return try await TestServer.start(["--front", folder.path])
    }

    static func folder(leavingOut missing: String? = nil) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url("app"), withIntermediateDirectories: false)
        for (name, content) in [
            ("index.html", "<!doctype html>\n<title>Front</title>"), ("sw.js", "'worker';"),
            ("manifest.webmanifest", "{}"), ("routes.txt", "/\n/books\n/books/{id}\n/books/{id}/edit\n/rpc\n"),
            ("app/main-A1B2C3D4.js", script), ("app/main-E5F6A7B8.css", "main {}"), ("app/icon-C9D0E1F2.svg", "<svg/>"),
            ("app/icon-A3B4C5D6.png", "png"),
        ] where name != missing {
            try folder.write(content, to: name)
        }
        return folder
    }

    @Test(arguments: [
        "/", "/?q=x", "/books", "/books/12", "/books/12/edit?mois=2026-11",
        // Those of the screens of every domain.
        "/crm", "/crm/clients", "/crm/clients/nouveau", "/crm/clients/12", "/crm/clients/12/modifier",
        "/crm/indicateurs?mois=2026-11", "/accounts/users",
    ])
    func `the shell answers its paths, with a policy and an entity tag`(path: String) async throws {
        let connection = try await Self.shared.value().connection()
        let shell = try await connection.request("GET", path)
        #expect(shell.status == 200)
        #expect(shell.text == "<!doctype html>\n<title>Front</title>")
        #expect(shell.headers["content-type"] == "text/html; charset=utf-8")
        #expect(shell.headers["cache-control"] == "no-cache")
        #expect(shell.headers["content-security-policy"] == Self.policy)
        #expect(shell.headers["x-content-type-options"] == "nosniff")
        #expect(shell.headers["cross-origin-opener-policy"] == "same-origin")
        #expect(shell.headers["strict-transport-security"] == nil)
        let tag = try #require(shell.headers["etag"])
        for given in [tag, "\"other\", \(tag)", "*"] {
            let same = try await connection.request("GET", path, headers: [("If-None-Match", given)])
            #expect(same.status == 304, "\(given)")
            #expect(same.body.isEmpty && same.headers["etag"] == tag)
        }
        let other = try await connection.request("GET", path, headers: [("If-None-Match", "\"other\"")])
        #expect(other.status == 200)
        let head = try await connection.request("HEAD", path)
        #expect(head.status == 200)
        #expect(head.body.isEmpty && head.headers["content-length"] == String(shell.body.count))
    }

    @Test(arguments: [
        "/books/", "/books/0", "/books/12a", "/books/12/delete", "/books/{id}", "/authors", "/app/", "/app/main.js",
        "/crm/", "/crm/authors", "/crm/clients/x", "/crm/clients/-12", "/crm/clients/12/edit",
        "/crm/indicateurs/nouveau", "/bookshop",
        "/app/../index.html", "/app/%2e%2e/index.html", "/index.html", "/routes.txt", "/sw.js/", "/app",
    ]) func `all other paths are not found`(path: String) async throws {
        let response = try await Self.shared.value().connection().request("GET", path)
        #expect(response.status == 404)
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.text.contains("not_found"))
    }

    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    @Test(arguments: [
        ("GET", "/authors", browser, true), ("HEAD", "/books/12/delete", browser, true),
        ("GET", "/a/b?q=1", "text/html", true),
        ("GET", "/app/main.js", browser, true), ("GET", "/authors", "application/json;q=0.5, text/html", true),
        ("GET", "/authors", "*/*", false), ("GET", "/authors", "application/json, text/html;q=0.5", false),
        ("GET", "/authors", "application/json, text/html", false), ("GET", "/authors", "text/html;q=0", false),
        ("POST", "/authors", browser, false),
    ]) func `a browser gets the page of the front at an address that is none, a program an error object`(
        method: String, path: String, accept: String, isPage: Bool
    ) async throws {
        let response = try await Self.shared.value().connection().request(
            method, path, headers: [("Accept", accept)], body: method == "POST" ? [] : nil)
        #expect(response.status == 404)
        #expect(response.headers["content-type"] == (isPage ? "text/html; charset=utf-8" : "application/json"))
        if isPage {
            #expect(response.headers["content-security-policy"] == Self.policy)
            #expect(response.headers["cache-control"] == "no-cache")
            if method == "GET" { #expect(response.text == "<!doctype html>\n<title>Front</title>") }
        } else {
            #expect(response.text.contains("not_found"))
        }
    }

    @Test func `without a front, browsers get the error object of programs`() async throws {
        let response = try await TestServer.running().connection().request(
            "GET", "/authors", headers: [("Accept", Self.browser)])
        #expect(response.status == 404 && response.headers["content-type"] == "application/json")
    }

    @Test(arguments: ["/", "/books/12", "/app/main-A1B2C3D4.js", "/sw.js", "/manifest.webmanifest", "/explorer"])
    func `only GET and HEAD are answered`(path: String) async throws {
        let connection = try await Self.shared.value().connection()
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let refused = try await connection.request(method, path, body: [])
            #expect(refused.status == 405, "\(method)")
            #expect(refused.headers["allow"] == "GET, HEAD")
        }
    }

    @Test(arguments: [
        ("/app/main-A1B2C3D4.js", "text/javascript; charset=utf-8"),
        ("/app/main-E5F6A7B8.css", "text/css; charset=utf-8"),
        ("/app/icon-C9D0E1F2.svg", "image/svg+xml"), ("/app/icon-A3B4C5D6.png", "image/png"),
    ]) func `files with a hash in their name are kept for a year`(path: String, type: String) async throws {
        let file = try await Self.shared.value().connection().request("GET", path)
        #expect(file.status == 200)
        #expect(file.headers["content-type"] == type)
        #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
    }

    @Test func `the worker and the manifest are asked for each time, and the worker may do what the pages may`()
        async throws
    {
        let connection = try await Self.shared.value().connection()
        let worker = try await connection.request("GET", "/sw.js")
        #expect(worker.headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(worker.headers["cache-control"] == "no-cache")
        #expect(worker.headers["content-security-policy"] == Self.policy)
        let manifest = try await connection.request("GET", "/manifest.webmanifest")
        #expect(manifest.headers["content-type"] == "application/manifest+json")
        #expect(manifest.headers["cache-control"] == "no-cache")
    }

    @Test func `texts are compressed for a client that accepts gzip`() async throws {
        let connection = try await Self.shared.value().connection()
        let path = "/app/main-A1B2C3D4.js"
        let packed = try await connection.request("GET", path, headers: [("Accept-Encoding", "gzip, br")])
        #expect(packed.headers["content-encoding"] == "gzip")
        #expect(packed.headers["vary"] == "Accept-Encoding")
        #expect(packed.body.count < Self.script.utf8.count / 4 && packed.body.starts(with: [0x1F, 0x8B]))
        let whole = try await connection.request("GET", path)
        #expect(whole.headers["content-encoding"] == nil && whole.headers["vary"] == "Accept-Encoding")
        #expect(whole.text == Self.script)
    }

    @Test func `the paths of the server and the explorer stay what they are`() async throws {
        let connection = try await Self.shared.value().connection()
        #expect(try await connection.request("GET", "/rpc").status == 405)
        #expect(try await connection.request("GET", "/health/live").text.contains("ok"))
        let explorer = try await connection.request("GET", "/explorer")
        #expect(explorer.status == 200)
        #expect(explorer.text.contains("/openrpc.json"))
    }

    @Test func `without a front, a French page at the root says so and links to the explorer`() async throws {
        let connection = try await TestServer.running().connection()
        let page = try await connection.request("GET", "/")
        #expect(page.status == 200)
        #expect(page.text.contains("<html lang=\"fr\">") && page.text.contains("script/front"))
        #expect(page.text.contains("href=\"/explorer\""))
        #expect(try await connection.request("GET", "/sw.js").status == 404)
    }

    @Test func `one-time links lead to the front`() async throws {
        let database = try await TestProgram.learntrack.migratedDatabase()
        let folder = try Self.folder()
        defer { withExtendedLifetime(folder) {} }
        let process = try LearnTrackProcess(
            ["serve", "--port", "0", "--front", folder.path],
            environment: ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret])
        let port = try await process.waitUntilReady()
        try await eventually("the link is printed") {
            process.output.contains("http://127.0.0.1:\(port)/#setup=")
        }
    }

    @Test(arguments: ["index.html", "sw.js", "routes.txt", "manifest.webmanifest"])
    func `a folder that is no front is an error`(missing: String) async throws {
        let folder = try Self.folder(leavingOut: missing)
        let run = try await LearnTrackProcess.run(
            ["serve", "--port", "0", "--front", folder.path],
            environment: ["DATABASE_URL": "postgres://127.0.0.1:1/none", "JWT_SECRET": TestServer.secret])
        #expect(run.status != 0)
        #expect(run.errors.contains("front") && run.errors.contains(folder.path), "\(run.errors)")
    }
}
