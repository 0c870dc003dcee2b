import CZlib
import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct CompressionTests {
    /// The content of a gzip file; nil when it is not valid.
    private static func decompressed(_ file: [UInt8], limit: Int = 1 << 20) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var input = file
        var output = [UInt8](repeating: 0, count: limit)
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

    /// Rows of about 110 bytes.
    private static func rows(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let rows = (0..<count).map { row in
            "{\"id\":\(row),\"nom\":\"\(UInt64.random(in: 0 ... .max, using: &generator))\",\"adresse\":\"12 rue de l’Église, \(row % 977)\"}"
        }
        return Array("[\(rows.joined(separator: ","))]".utf8)
    }

    @Test(arguments: [14_000, 30_000, 80_000])
    func `responses of several megabytes are compressed and divided`(count: Int) async throws {
        let rows = Self.rows(count)
        #expect(rows.count > 1 << 20)
        let answers = Answers { _, context in
            HandlerResponse(body: context.allocator.buffer(bytes: rows))
        }
        try await TestServer.run(answers) { server in
            let headers = "Authorization: Bearer valid\r\n"
            var compressed = try await server.send(post("[]", headers: headers + "Accept-Encoding: gzip\r\n"))
            // The process compresses eight at a time, for other tests too.
            try await eventually("it is compressed") {
                if compressed["Content-Encoding"] == "gzip" { return true }
                compressed = try await server.send(post("[]", headers: headers + "Accept-Encoding: gzip\r\n"))
                return false
            }
            #expect(compressed["Content-Length"] == String(compressed.body.count))
            #expect(compressed.body.count < rows.count / 2)
            let matches = Self.decompressed(compressed.body, limit: rows.count + 1) == rows
            #expect(matches)
            let plain = try await server.send(post("[]", headers: headers))
            #expect(plain["Content-Encoding"] == nil)
            #expect(plain["Vary"] == "Accept-Encoding")
            #expect(plain.body.elementsEqual(rows))
        }
    }

    @Test func `many large responses are compressed at the same time, or sent as they are`() async throws {
        let rows = Self.rows(20_000)
        let answers = Answers { _, context in
            HandlerResponse(body: context.allocator.buffer(bytes: rows))
        }
        try await TestServer.run(answers) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let headers = "Authorization: Bearer valid\r\nAccept-Encoding: gzip\r\n"
                        let response = try await server.send(post("[]", headers: headers))
                        let isGzip = response["Content-Encoding"] == "gzip"
                        let body = isGzip ? Self.decompressed(response.body, limit: rows.count + 1) : response.body
                        let matches = body == rows
                        #expect(matches)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a large body that compression does not make shorter is left as it is`() async {
        var generator = SystemRandomNumberGenerator()
        let random = ByteBuffer(bytes: (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let pieces = await GzipStream.compress(random, ByteBufferAllocator())
        #expect(pieces == nil)
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
