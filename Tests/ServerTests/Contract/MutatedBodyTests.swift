import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// security.md: "10,000 malformed or mutated bodies: no crash, always the right JSON-RPC code".
@Suite struct MutatedBodyTests {
    private static let bodies = 10_000
    private static let connections = 4

    /// Bodies that pass every stage, before they are mutated.
    private static let seeds = [
        #"{"jsonrpc":"2.0","id":1,"method":"sessions.get","params":{"id":7,"select":"{ id formateur { nom } }"}}"#,
        #"{"jsonrpc":"2.0","id":"a","method":"sessions.list","params":{"where":{"date":{"gt":"2026-01-01"}},"first":2}}"#,
        #"{"jsonrpc":"2.0","id":-1.5e3,"method":"clients.list","params":{"search":"é\n","order_by":["-id"],"count":true}}"#,
        #"{"jsonrpc":"2.0","id":null,"method":"formateurs.create","params":{"values":{"prenom":"Ève","nom":"😀 O’Hara"}}}"#,
        #"[{"jsonrpc":"2.0","method":"auth.me"},{"jsonrpc":"2.0","id":2,"method":"ecoles.list","params":{"first":1}}]"#,
        #"{"id":9,"params":{"select":"{ count }","group_by":["month(date)"]},"method":"sessions.aggregate","jsonrpc":"2.0"}"#,
        #"{"jsonrpc":"2.0","id":3,"method":"transaction.run","params":{"calls":[{"method":"clients.list","as":"c"}]}}"#,
    ]

    @Test func `each of 10,000 mutated bodies gets the right JSON-RPC code, and the server lives`() async throws {
        let server = try await TestServer.start(["--log-format", "json"])
        let methods = try await Set(
            server.client().call("rpc.discover")["methods"]?.array.compactMap { $0["name"]?.text } ?? [])
        let codes = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
            for number in 0..<Self.connections {
                group.addTask { try await Self.send(to: server, seed: UInt64(20_261_121 + number), methods) }
            }
            return try await group.reduce(into: [:]) { codes, some in codes.merge(some, uniquingKeysWith: +) }
        }
        #expect(codes.values.reduce(0, +) == Self.bodies)
        // The mutations reach every stage: the parser, the envelope, the methods, their parameters, and the database.
        for code in [-32700, -32600, -32601, -32602, 0] {
            #expect(codes[code, default: 0] > Self.bodies / 100, "\(code) in \(codes)")
        }
        #expect(try await server.stop() == 0)
        let errors = server.process.errors.split(separator: "\n").filter { $0.contains(#""level":"error""#) }
        #expect(errors == [])
    }

    /// Sends a part of the bodies over one connection, several at once.
    ///
    /// - Returns: how often each code was the answer; 0: success, or no answer to a notification.
    private static func send(to server: TestServer, seed: UInt64, _ methods: Set<String>) async throws -> [Int: Int] {
        let client = try await server.client()
        var random = SeededGenerator(seed: seed)
        var codes: [Int: Int] = [:]
        for _ in 0..<(bodies / connections / 25) {
            let some = (0..<25).map { _ in mutated(Array(random.pick(seeds).utf8), &random) }
            for body in some {
                let head = """
                    POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
                    Authorization: Bearer \(client.token ?? "")\r\nContent-Length: \(body.count)\r\n\r\n
                    """
                try await client.http.send(Array(head.utf8) + body)
            }
            for body in some {
                guard let response = try await client.http.receive() else {
                    Issue.record("closed after \(String(decoding: body, as: UTF8.self).debugDescription)")
                    return codes
                }
                codes[try judge(response, to: body, methods), default: 0] += 1
            }
        }
        return codes
    }

    /// - Returns: the code of the first reply.
    private static func judge(
        _ response: HTTPConnection.Response, to body: [UInt8], _ methods: Set<String>
    ) throws -> Int {
        let text = Comment(rawValue: "\(String(decoding: body, as: UTF8.self).debugDescription): \(response.text)")
        for leak in ["SQLSTATE", "syntax error", "violates", "relation \\\"", "PL/pgSQL", ".swift"] {
            #expect(!response.text.contains(leak), text)
        }
        if response.status == 204 {
            #expect(response.body.isEmpty, text)
            #expect(expectedCodes(body, methods) != [-32700], text)
            return 0
        }
        #expect(response.status == 200, text)
        let answer = try JSONValue.parse(response.body)
        let replies = if case .array(let replies) = answer { replies } else { [answer] }
        let codes = replies.map { $0.at("/error/code").int ?? 0 }
        for reply in replies {
            #expect(reply["jsonrpc"] == "2.0" && reply["id"] != nil, text)
            #expect((reply["result"] == nil) != (reply["error"] == nil), text)
        }
        #expect(expectedCodes(body, methods).isSuperset(of: codes), text)
        return codes.first ?? 0
    }

    /// The codes that answers to this body may have, judged with Foundation's parser, which the server does not use. It accepts
    /// a little more than JSON.
    private static func expectedCodes(_ body: [UInt8], _ methods: Set<String>) -> Set<Int> {
        guard let value = try? JSONValue.parse(body) else { return [-32700] }
        let refused: Set = [-32700, -32600]
        guard case .object(let call) = value else {
            return value.array.isEmpty ? refused : refused.union([0, -32601, -32602, 404, 409, 413])
        }
        guard call["jsonrpc"] == "2.0", let method = call["method"]?.text else { return refused }
        return refused.union(methods.contains(method) ? [0, -32602, 404, 409, 413] : [-32601])
    }

    /// These bytes with one to four changes.
    private static func mutated(_ seed: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0..<random.number(1...random.pick([1, 1, 4])) where !bytes.isEmpty {
            let place = random.number(0...bytes.count - 1)
            switch random.number(0...5) {
            case 0: bytes[place] = UInt8(random.number(0...255))
            case 1: bytes[place] ^= 1 << UInt8(random.number(0...7))
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(random.pick(Array(#"{}[]",:0-\e"#.utf8)), at: place)
            case 4: bytes.append(contentsOf: bytes[place...])
            default: bytes.removeSubrange(place..<min(bytes.count, place + random.number(1...8)))
            }
        }
        return bytes
    }
}
