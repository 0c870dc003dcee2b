import DomainKit
import JSON
import NIOCore
import NIOHTTP1
import QueryCompiler
import Testing

@testable import RPCServer

@Suite struct MutatedBodies {
    /// Bodies that pass every stage, before they are mutated.
    private static let seeds = [
        #"{"jsonrpc":"2.0","id":1,"method":"books.get","params":{"id":7,"select":"{ id shelf { name } }"}}"#,
        #"{"jsonrpc":"2.0","id":"a","method":"books.list","params":{"where":{"pages":{"gt":1}},"order_by":["-title"]}}"#,
        #"{"jsonrpc":"2.0","id":null,"method":"books.create","params":{"values":{"title":"é\n","pages":12}}}"#,
        #"[{"jsonrpc":"2.0","method":"books.praise","params":{"id":1,"tone":"wild"}},{"jsonrpc":"2.0","id":2}]"#,
    ]

    @Test func `every response to a mutated body is a JSON-RPC response`() async throws {
        let roles = ServedRole.roles(of: Library.domain)
        let praise = try Library.praise.method(in: Library.domain, for: roles)
        let methods = EntityMethods(entity: Library.books, roles: roles).methods + [praise]
        let service = try TestService(methods: methods)
        var random = Sequence(state: 20_261_121)
        for round in 0..<2_000 {
            var bytes = Array(Self.seeds[round % Self.seeds.count].utf8)
            for _ in 0..<random.next(4) + 1 { random.mutate(&bytes) }
            let context = CallContext(requestID: "r-1", headers: ["Authorization": "Bearer admin"])
            guard case .json(let buffer, _) = await service.service.answer(ByteBuffer(bytes: bytes), context) else {
                continue
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let answer = try JSONReader.read(buffer).value
            let replies = if case .array(let replies) = answer { replies } else { [answer] }
            for reply in replies {
                #expect(reply["jsonrpc"] == "2.0" && reply["id"] != nil, "\(text)")
                guard case .number(let code)? = reply["error"]?["code"] else {
                    #expect(reply["result"] != nil, "\(text)")
                    continue
                }
                // Planned calls fail because there is no database.
                #expect(["-32700", "-32600", "-32601", "-32602", "-32603", "413"].contains(code), "\(text)")
            }
        }
    }

    /// The same pseudorandom numbers in every run.
    private struct Sequence {
        var state: UInt64

        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }

        mutating func mutate(_ bytes: inout [UInt8]) {
            guard !bytes.isEmpty else { return }
            let place = next(bytes.count)
            switch next(5) {
            case 0: bytes[place] = UInt8(next(256))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(Array(#"{}[]",:0\e"#.utf8)[next(10)], at: place)
            case 3: bytes.append(contentsOf: bytes[place...])
            default: bytes.removeSubrange(place..<min(bytes.count, place + next(9)))
            }
        }
    }
}
