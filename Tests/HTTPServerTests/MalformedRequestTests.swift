import TestSupport
import Testing

@testable import HTTPServer

@Suite struct MalformedRequestTests {
    @Test(arguments: [
        "nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/3.7\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "POST /rpc HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nBad Header: x\r\n\r\n", "POST /rpc HTTP/1.1\r\n: empty\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\nHost: x\u{0}y\r\n\r\n",
        "GET /health/live HTTP/1.1\r\n\r\n", "POST /rpc HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]",
        "GET /health/live HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: user@x\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: x/y\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: x y\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: x:abc\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: x:99999\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: [::1\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: x]\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost:\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: x:1:2\r\n\r\n",
        "GET http://user@x/health/live HTTP/1.1\r\nHost: x\r\n\r\n", "GET /health/live#x HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n[]",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\n[]",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 2 2\r\n\r\n[]",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n[]",
        "GET /health/live HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /rpc HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
    ]) func `bytes that are not HTTP are answered with 400 and the connection is closed`(request: String) async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            connection.send(request)
            let response = try await connection.response()
            #expect(response.status == 400)
            #expect(response.errorCode == "bad_request")
            #expect(response["Connection"] == "close")
            try await connection.ended()
            connection.close()
        }
    }

    @Test func `too many and too long headers are refused`() async throws {
        try await TestServer.run { server in
            let many = String(repeating: "A: b\r\n", count: 101)
            let long = "A: " + String(repeating: "b", count: 20_000) + "\r\n"
            for headers in [many, long] {
                let response = try await server.send("GET / HTTP/1.1\r\n\(headers)\r\n")
                #expect(response.status == 431)
                #expect(response.errorCode == "limit_exceeded")
            }
        }
    }

    @Test func `a chunk extension without an end is malformed, and so are many long ones`() async throws {
        let endless = "2;" + String(repeating: "x", count: 100_000)
        let long = String(repeating: "1;" + String(repeating: "x", count: 1_000) + "\r\n \r\n", count: 100)
        for chunks in [endless, long] {
            try await TestServer.run { server in
                let connection = try await server.connect()
                connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                connection.send(chunks)
                let response = try await connection.response()
                #expect(response.status == 400)
                #expect(response.errorCode == "bad_request")
                try await connection.ended()
                connection.close()
            }
        }
    }

    @Test func `chunks of a single byte and a short extension are taken`() async throws {
        try await TestServer.run { server in
            let chunks = String(repeating: "1;a=b\r\n \r\n", count: 5_000)
            let response = try await server.send(
                "POST /rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.body.count == 5_000)
        }
    }

    @Test(arguments: ["2 ", " 2", "002"])
    func `spaces around a length, and zeros before it, do not count`(length: String) async throws {
        try await TestServer.run { server in
            let response = try await server.send(
                "POST /rpc HTTP/1.1\r\nHost: x \r\nContent-Length:\(length)\r\n\r\n[]")
            #expect(response.status == 200)
            #expect(response.text == "[]")
        }
    }

    @Test func `a request of HTTP 1.0 needs no Host`() async throws {
        try await TestServer.run { server in
            let response = try await server.send("GET /health/live HTTP/1.0\r\n\r\n")
            #expect(response.status == 200)
        }
    }

    @Test func `requests before malformed bytes are answered first`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            connection.send(post("[1]") + post("[2]") + "nonsense\r\n\r\n" + post("[3]"))
            #expect(try await connection.response().text == "[1]")
            #expect(try await connection.response().text == "[2]")
            #expect(try await connection.response().status == 400)
            try await connection.ended()
            connection.close()
        }
    }

    @Test func `a request with an unregistered method is malformed, and those before it are answered first`()
        async throws
    {
        for before in [
            "", post("[1]"), post("[1]") + post("{\"a\": 1}"), "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n",
        ] {
            try await TestServer.run { server in
                let connection = try await server.connect()
                connection.send(before + "BREW /rpc HTTP/1.1\r\nHost: x\r\n\r\n")
                for _ in before.ranges(of: "HTTP/1.1") { #expect(try await connection.response().status == 200) }
                let response = try await connection.response()
                #expect(response.status == 400, "behind \(before)")
                #expect(response.errorCode == "bad_request")
                try await connection.ended()
                connection.close()
            }
        }
    }

    @Test func `an incomplete request is not passed to the handler`() async throws {
        let asked = EventRecorder<RequestEvent>()
        try await TestServer.run(observers: [asked]) { server in
            let connection = try await server.connect()
            connection.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n[1]")
            connection.closeOutput()
            #expect(try await connection.response().status == 400)
            try await connection.ended()
            connection.close()
            #expect(!asked.all.contains { $0.status == 200 })
        }
    }

    @Test func `an offer to upgrade is declined by an ordinary response`() async throws {
        try await TestServer.run { server in
            let response = try await server.send(
                post("[1]", headers: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"))
            #expect(response.status == 200)
            #expect(response.text == "[1]")
            #expect(response["Connection"] == "close")
            #expect(try await server.send("CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n").status == 404)
        }
    }
}
