import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// kernel.md: "documents: `{name, media_type, url, expires_at}` over RPC, `GET /documents/<signed>` gives the bytes".
@Suite struct DocumentLinkTests {
    @Test func `a link opens without a token and says until when`() async throws {
        let rows = try await Fixtures()
        let server = try await TestServer.running()
        let trainer = try await rows.formateur()
        _ = try await rows.session([("formateur_id", JSONValue(trainer))])
        let link = try await rows.client.call("sessions.calendrier", ["formateur_id": JSONValue(trainer)])
        #expect(link["media_type"] == "text/calendar; charset=utf-8")
        #expect(link["name"] == .string("Sessions – Élodie Dupré \(rows.mark).ics"))
        let expiry = try #require(link["expires_at"]?.text)
        let instant = try Date.ISO8601FormatStyle().parse(expiry)
        #expect((840...960).contains(instant.timeIntervalSinceNow), "\(expiry)")
        let document = try await server.open(link)
        #expect(document.status == 200)
        #expect(document.headers["content-type"] == "text/calendar; charset=utf-8")
        #expect(document.headers["cache-control"] == "private, no-cache")
        #expect(document.headers["x-content-type-options"] == "nosniff")
        #expect(document.headers["referrer-policy"] == "no-referrer")
        #expect(
            document.headers["content-disposition"]
                == "attachment; filename=\"Sessions - Elodie Dupre \(rows.mark).ics\"; "
                + "filename*=UTF-8''Sessions%20%E2%80%93%20%C3%89lodie%20Dupr%C3%A9%20\(rows.mark).ics")
        #expect(document.text.contains("SUMMARY:Module \(rows.mark)"))
    }

    @Test func `the answers with documents, files and pages to sign have each header once`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask((name: "Marie Curie", email: "marie@exemple.fr"))
        let page = try await signing.link(to: "marie@exemple.fr")
        let document = try await signing.client.call("sessions.convention", ["id": signing.session])
        let token = signing.client.token ?? ""
        let file = try await signing.server.connection().request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(token)")], body: FileTests.png())
        let id = try #require(JSONValue.parse(file.body)["id"]).json
        for path in [try #require(document["url"]?.text), "/files/\(id)", page, page + "/document"] {
            let connection = try signing.server.connection()
            try await connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            let head = try #require(try await connection.receive(upTo: "\r\n\r\n"))
            #expect(head.hasPrefix("HTTP/1.1 200"), "\(path): \(head)")
            let names = head.components(separatedBy: "\r\n").dropFirst()
                .compactMap { $0.split(separator: ":").first?.lowercased() }.filter { $0 != "vary" }
            #expect(names.contains("x-content-type-options"), "\(path): \(head)")
            #expect(names.count == Set(names).count, "\(path): \(head)")
        }
    }

    @Test func `a number that no record has as its id is wrong at the place of its parameter`() async throws {
        let client = try await TestServer.running().client()
        for method in ["sessions.calendrier", "calendriers.abonner"] {
            for (params, paths) in [
                (["client_id": 0], ["/client_id"]), (["ecole_id": -1], ["/ecole_id"]),
                (["client_id": 0, "ecole_id": -1], ["/client_id", "/ecole_id"]),
            ] as [(JSONValue, [String])] {
                let refusal = try await client.refusal(method, params)
                #expect(refusal["code"] == -32602, "\(refusal.json)")
                #expect(refusal.at("/data/errors").array.compactMap { $0["path"]?.text } == paths, "\(refusal.json)")
            }
        }
    }

    @Test func `HEAD answers the headers of GET, and other methods are refused`() async throws {
        let server = try await TestServer.running()
        let link = try await server.client().call("sessions.calendrier", ["du": "2031-01-01", "au": "2031-01-02"])
        let get = try await server.open(link)
        let head = try await server.open(link, "HEAD")
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        for name in ["content-length", "content-type", "etag", "content-disposition"] {
            #expect(head.headers[name] == get.headers[name] && get.headers[name] != nil, "\(name)")
        }
        for method in ["POST", "PUT", "DELETE"] { #expect(try await server.open(link, method).status == 405) }
    }

    @Test func `a client that has the document is answered 304 until the document changes`() async throws {
        let rows = try await Fixtures()
        let server = try await TestServer.running()
        let trainer = try await rows.formateur()
        let session = try await rows.session([("formateur_id", JSONValue(trainer))])
        let link = try await rows.client.call("sessions.calendrier", ["formateur_id": JSONValue(trainer)])
        let tag = try #require(try await server.open(link).headers["etag"])
        #expect(tag.hasPrefix("\""))
        for given in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let response = try await server.open(link, headers: [("If-None-Match", given)])
            #expect(response.status == 304, "\(given)")
            #expect(response.body.isEmpty)
            #expect(response.headers["etag"] == tag)
        }
        // A strong tag stands for the bytes, so that they are not compressed.
        let compressed = try await server.open(link, headers: [("Accept-Encoding", "gzip")])
        #expect(compressed.headers["content-encoding"] == nil)
        #expect(try await server.open(link, headers: [("If-None-Match", "\"x\"")]).status == 200)
        _ = try await rows.client.call(
            "sessions.update", ["id": JSONValue(session), "values": ["lieu": "Salle 12"]])
        let changed = try await server.open(link, headers: [("If-None-Match", tag)])
        #expect(changed.status == 200)
        #expect(changed.headers["etag"] != tag)
        #expect(changed.text.contains("LOCATION:Salle 12"))
    }

    @Test func `an altered link opens nothing`() async throws {
        let server = try await TestServer.running()
        let link = try await server.client().call("sessions.calendrier")
        let url = try #require(link["url"]?.text)
        let token = Array(url.dropFirst("/documents/".count))
        for position in stride(from: 0, to: token.count, by: max(1, token.count / 40)) {
            var altered = token
            altered[position] = altered[position] == "A" ? "B" : "A"
            let response = try await server.open(url: "/documents/" + String(altered))
            #expect(response.status == 404, "\(position)")
            #expect(try JSONValue.parse(response.body).at("/error/data/code") == "not_found")
        }
        var payload = try ForgedLink.payload(of: url)
        payload["account"] = 1
        let foreign = try ForgedLink.url(payload, secret: "another-secret-that-is-long-enough-0123456789")
        let cut = String(url.dropLast())
        for other in [
            foreign, cut, url + "A", url + "/x", "/documents/", "/documents/x", "/documents/.", "/documents/1.",
        ] {
            #expect(try await server.open(url: other).status == 404, "\(other)")
        }
        #expect(try await server.open(url: "/documents").status == 404)
        #expect(!server.process.errors.contains(String(token.suffix(40))))
    }

    @Test func `a link ends at its expiry`() async throws {
        let server = try await TestServer.running()
        let link = try await server.client().call("sessions.calendrier")
        var payload = try ForgedLink.payload(of: try #require(link["url"]?.text))
        let now = Int(Date().timeIntervalSince1970)
        payload["expires_at"] = now + 60
        #expect(try await server.open(url: ForgedLink.url(payload)).status == 200)
        payload["expires_at"] = now - 1
        let late = try await server.open(url: ForgedLink.url(payload))
        #expect(late.status == 410)
        #expect(try JSONValue.parse(late.body).at("/error/data/code") == "gone")
    }

    @Test func `a person who opens a link that has ended gets a page in French, with what to do`() async throws {
        let server = try await TestServer.running()
        let link = try await server.client().call("sessions.calendrier")
        let url = try #require(link["url"]?.text)
        var payload = try ForgedLink.payload(of: url)
        payload["expires_at"] = Int(Date().timeIntervalSince1970) - 1
        let browser = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]
        for (path, status, word) in [
            (try ForgedLink.url(payload), 410, "a expiré"), (url + "A", 404, "n’est pas valable"),
        ] {
            let page = try await server.open(url: path, headers: browser)
            #expect(page.status == status)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.headers["cache-control"] == "no-store" && page.headers["referrer-policy"] == "no-referrer")
            #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
            #expect(page.text.contains(word) && page.text.contains("demandez de nouveau le document"), "\(page.text)")
            // A program still gets an object.
            let object = try await server.open(url: path)
            #expect(object.status == status && object.headers["content-type"] == "application/json")
        }
        #expect(
            try await server.open(url: url, headers: browser).headers["content-type"]?.hasPrefix("text/cal") == true)
    }

    @Test func `a link made with a retired secret opens as long as the server verifies with it`() async throws {
        let new = "a-new-secret-for-tests-that-is-long-enough-012345"
        let server = try await TestServer.start(environment: ["JWT_SECRET": "\(new),\(TestServer.secret)"])
        let link = try await server.client().call("sessions.calendrier")
        let url = try #require(link["url"]?.text)
        #expect(try await server.open(link).status == 200)
        let payload = try ForgedLink.payload(of: url)
        #expect(try await server.open(url: ForgedLink.url(payload)).status == 200)
    }

    @Test func `a link ends with the sign-in or the key it was made with`() async throws {
        let server = try await TestServer.start()
        let login = try await server.client(nil).call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let own = try RPCClient(port: server.port, token: login["access_token"]?.text)
        let link = try await own.call("sessions.calendrier")
        #expect(try await server.open(link).status == 200)
        _ = try await own.call("auth.logout", ["refresh_token": login["refresh_token"] ?? .null])
        #expect(try await server.open(link).status == 403)

        let admin = try await server.client()
        let account = try await admin.call("auth.me", ["select": "{ id }"])["id"] ?? .null
        let key = try await admin.call(
            "auth.create_access_key", ["account_id": account, "role": "admin", "name": "Agenda"])
        let device = try RPCClient(port: server.port, token: key["key"]?.text)
        let keyed = try await device.call("sessions.calendrier")
        #expect(try await server.open(keyed).status == 200)
        _ = try await admin.call("auth.revoke_access_key", ["id": key["id"] ?? .null])
        let refused = try await server.open(keyed)
        #expect(refused.status == 403)
        #expect(try JSONValue.parse(refused.body).at("/error/data/code") == "forbidden")
    }

    @Test(arguments: [#"{"is_active":false}"#, #"{"role":"admin"}"#])
    func `a link ends with the account or the role it was made with`(change: String) async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let link = try await server.client(TestServer.user).call("sessions.calendrier")
        #expect(try await server.open(link).status == 200)
        let account = try await admin.call("users.list", ["where": ["email": .string(TestServer.user)]]).at(
            "/items/0/id")
        _ = try await admin.call(
            "users.update", ["id": account, "values": try JSONValue.parse(Array(change.utf8))])
        #expect(try await server.open(link).status == 403)
    }

    @Test func `a link gives the rights of a role that its account holds`() async throws {
        let server = try await TestServer.running()
        let link = try await server.client(TestServer.user).call("sessions.calendrier")
        var payload = try ForgedLink.payload(of: try #require(link["url"]?.text))
        #expect(payload["role"] as? String == "user")
        // Only the server's secret can make such a link; even so the role is checked.
        payload["role"] = "admin"
        #expect(try await server.open(url: ForgedLink.url(payload)).status == 403)
        payload["role"] = "user"
        for method in ["users.list", "sessions.list", "sessions.share", "auth.me", "nothing"] {
            payload["method"] = method
            #expect(try await server.open(url: ForgedLink.url(payload)).status == 404, "\(method)")
        }
    }

    @Test func `params are checked before there is a link, and too long ones have none`() async throws {
        let client = try await TestServer.running().client()
        let table: [(JSONValue, [String])] = [
            (["du": "2026-02-30"], ["/du format"]), (["formateur_id": "x"], ["/formateur_id type"]),
            (["du": "2026-02-02", "au": "2026-02-01"], ["/au rule"]), (["id": 1], ["/id unknown"]),
        ]
        for (params, problems) in table {
            let error = try await client.refusal("sessions.calendrier", params)
            let found = error.at("/data/errors").array.map { "\($0["path"]?.text ?? "") \($0["code"]?.text ?? "")" }
            #expect(found == problems, "\(error.json)")
        }
        #expect(try await TestServer.running().client(nil).refusal("sessions.calendrier")["code"] == 401)
    }

    @Test func `links have the public address`() async throws {
        let server = try await TestServer.start(["--public-url", "https://agenda.exemple.fr/"])
        let link = try await server.client().call("sessions.calendrier")
        let url = try #require(link["url"]?.text)
        #expect(url.hasPrefix("https://agenda.exemple.fr/documents/"))
        let path = String(url.dropFirst("https://agenda.exemple.fr".count))
        #expect(try await server.open(url: path).status == 200)
    }
}
