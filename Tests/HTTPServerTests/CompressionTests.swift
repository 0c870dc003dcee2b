import CZlib
import NIOCore
import Testing

@testable import HTTPServer

@Suite struct CompressionTests {
    /// The content of a gzip file; nil when it is not valid.
    private static func decompressed(_ file: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var input = file
        var output = [UInt8](repeating: 0, count: 1 << 20)
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                guard inflate(&stream, Z_FINISH) == Z_STREAM_END, stream.avail_in == 0 else { return nil }
                return Array(output.prefix(Int(stream.total_out)))
            }
        }
    }

    private static let long = "[\"" + String(repeating: "abcdefgh ", count: 300) + "\"]"

    @Test func `long responses are compressed for a client that accepts gzip`() async throws {
        try await TestServer.run { server in
            let response = try await server.send(post(Self.long, headers: "Accept-Encoding: deflate, gzip;q=0.5\r\n"))
            #expect(response.status == 200)
            #expect(response["Content-Encoding"] == "gzip")
            #expect(response["Content-Type"] == "application/json")
            #expect(response["Vary"] == "Accept-Encoding")
            #expect(response.body.count < Self.long.utf8.count / 4)
            #expect(Self.decompressed(response.body) == Array(Self.long.utf8))
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

    @Test func `a body that compression does not make shorter is left as it is`() {
        var generator = SystemRandomNumberGenerator()
        let random = ByteBuffer(bytes: (0..<4_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        #expect(Gzip.compress(random, ByteBufferAllocator()) == nil)
        #expect(Gzip.compress(ByteBuffer(), ByteBufferAllocator()) == nil)
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
