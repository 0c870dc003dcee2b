import DomainKit
import HTTPServer
import JSON
import NIOCore
import NIOHTTP1
import RPCServer
import Testing

/// A capability that the kernel does not know: when the shop is open, for programs and for its web site.
private struct OpeningHours {
    let text: String

    var capability: Capability {
        let method = Method(
            name: "hours.get", summary: "Dit quand la librairie est ouverte.", rights: .anyone, parameters: [],
            result: ResultType("horaires", schema: ["type": "string"], example: "9 h – 19 h")
        ) { [text] _, _ in .work { _ in .value(.string(text)) } }
        let page = HTTPOperation(path: "/hours", summary: "Les horaires.", mediaType: "text/plain")
        return Capability(
            methods: [method], operations: [page],
            endpoints: [
                Endpoint(page.path) { [text] _ in
                    HTTPResponse(status: .ok, contentType: "text/plain", body: ByteBuffer(string: text))
                }
            ])
    }
}

@Suite struct CapabilityTests {
    @Test func `a capability of another target adds a method and a path, and the description has both`() async throws {
        try await ServedBookshop.with([OpeningHours(text: "10 h – 18 h").capability]) { shop in
            let answer = try await shop.answer(#"{"jsonrpc":"2.0","id":1,"method":"hours.get"}"#, as: .user)
            #expect(try JSONReader.read(answer).value["result"] == "10 h – 18 h")
            #expect(shop.service.endpoints.contains { $0.path == "/hours" })
            let described = try await shop.answer(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#, as: .user)
            #expect(described.contains(#""name":"hours.get""#))
            #expect(described.contains(#""path":"/hours""#))
        }
    }
}
