import Crypto
import Foundation
import HTTPServer
import NIOCore
import Testing

@testable import Explorer

@Suite("The explorer's page") struct ExplorerTests {
    private let text = String(buffer: ExplorerPage.response.body)

    @Test("is French, whole, and asks for nothing from elsewhere")
    func page() throws {
        #expect(ExplorerPage.response.contentType == "text/html; charset=utf-8")
        #expect(text.contains("<html lang=\"fr\">"))
        let (style, script) = (try inline("style"), try inline("script"))
        #expect(style.contains("color-scheme"))
        #expect(script.contains("/openrpc.json"))
        for address in ["http://", "https://", "src=", "@import", "url("] {
            #expect(!text.contains(address), "\(address)")
        }
        // A policy without unsafe-inline would ignore them.
        #expect(!text.contains(" style=\"") && !text.contains(" onclick=\""))
    }

    @Test("is allowed its own script and style, and nothing else")
    func policy() throws {
        let header = ExplorerPage.response.headers.first { $0.name == "Content-Security-Policy" }
        let policy = try #require(header?.value)
        for element in ["script", "style"] {
            let digest = SHA256.hash(data: Data(try inline(element).utf8))
            #expect(policy.contains("\(element)-src 'sha256-\(Data(digest).base64EncodedString())';"))
        }
        #expect(policy.hasPrefix("default-src 'none';"))
        #expect(!policy.contains("unsafe"))
    }

    private func inline(_ element: String) throws -> Substring {
        let start = try #require(text.range(of: "<\(element)>"))
        let end = try #require(text.range(of: "</\(element)>", range: start.upperBound..<text.endIndex))
        return text[start.upperBound..<end.lowerBound]
    }
}
