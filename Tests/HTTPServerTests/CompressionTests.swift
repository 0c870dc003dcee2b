import NIOCore
import Testing

@testable import HTTPServer

@Suite struct CompressionTests {
    private static let long = "[\"" + String(repeating: "abcdefgh ", count: 300) + "\"]"

    @Test func `long responses are compressed for a client that accepts gzip`() async throws {
        try await TestServer.run { server in
            let response = try await server.send(post(Self.long, headers: "Accept-Encoding: deflate, gzip;q=0.5\r\n"))
            #expect(response.status == 200)
            #expect(response["Content-Encoding"] == "gzip")
            #expect(response["Content-Type"] == "application/json")
            #expect(response["Vary"] == "Accept-Encoding")
            #expect(response.body.count < Self.long.utf8.count / 4)
            #expect(response.body.prefix(2) == [0x1F, 0x8B])
            // gzip ends with the length of the uncompressed text in four bytes.
            let length = response.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(length == Self.long.utf8.count)
        }
    }

    @Test(arguments: [
        post(long), post(long, headers: "Accept-Encoding: gzip;q=0\r\n"),
        post(long, headers: "Accept-Encoding: br, identity\r\n"),
        post("[\"short\"]", headers: "Accept-Encoding: gzip\r\n"),
        "POST /rpc HTTP/1.0\r\nAccept-Encoding: gzip\r\nContent-Length: \(long.utf8.count)\r\n\r\n\(long)",
    ]) func `other responses are not compressed`(request: String) async throws {
        try await TestServer.run { server in
            let response = try await server.send(request)
            #expect(response.status == 200)
            #expect(response["Content-Encoding"] == nil)
            #expect(response.text.hasPrefix("[\""))
        }
    }

    @Test func `responses to HEAD and to notifications are not compressed`() async throws {
        let page = Endpoint("/", fixed: .text(Self.long, contentType: "text/plain"))
        try await TestServer.run(Answers { _, _ in .noContent }, endpoints: [page]) { server in
            let head = try await server.send("HEAD / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n")
            #expect(head["Content-Encoding"] == nil)
            #expect(head["Content-Length"] == String(Self.long.utf8.count))
            let nothing = try await server.send(post("[]", headers: "Accept-Encoding: gzip\r\n"))
            #expect(nothing.status == 204)
            #expect(nothing["Content-Encoding"] == nil)
        }
    }

    @Test func `a fixed response is compressed once`() async throws {
        let page = Endpoint("/", fixed: .text(Self.long, contentType: "text/plain"))
        guard case .fixed(let response) = page.content else {
            Issue.record("not fixed")
            return
        }
        try await TestServer.run(endpoints: [page]) { server in
            let request = "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"
            let first = try await server.send(request)
            #expect(first["Content-Encoding"] == "gzip")
            let kept = response.cachedGzip?.bytes {
                Issue.record("compressed again")
                return nil
            }
            #expect(kept?.readableBytesView.elementsEqual(first.body) == true)
            #expect(try await server.send(request).body == first.body)
            #expect(try await server.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").text == Self.long)
        }
    }

    @Test func `compressed and plain responses alternate on one connection`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            for round in 0..<50 {
                let headers = round % 3 == 0 ? "" : "Accept-Encoding: gzip\r\n"
                connection.send(post(Self.long, headers: headers) + post("[1]", headers: headers))
                let first = try await connection.response()
                #expect((first["Content-Encoding"] == "gzip") == (round % 3 != 0))
                #expect(try await connection.response().text == "[1]")
            }
            connection.close()
        }
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("x-gzip", true), ("*", true), ("deflate, gzip;q=1.0, *;q=0.5", true),
        ("gzip; q=0.001", true), ("", false), ("identity", false), ("gzip;q=0", false), ("gzip;q=0.0, *", false),
        ("*;q=0", false), ("gzipped", false), ("br", false), ("gzip;q=x", false),
    ]) func `Accept-Encoding is read according to RFC 9110`(value: String, expected: Bool) {
        #expect(AcceptEncoding.allowsGzip(value) == expected)
    }
}
