import Crypto
import Foundation
import HTTPServer
import NIOCore
import Testing

@testable import Explorer

@Suite struct ExplorerPageTests {
    private let text = String(buffer: ExplorerPage.response.body)

    @Test func `the page is French and complete, and loads nothing else`() throws {
        #expect(ExplorerPage.response.contentType == "text/html; charset=utf-8")
        #expect(text.contains("<html lang=\"fr\">"))
        let (style, script) = (try inline("style"), try inline("script"))
        #expect(style.contains("color-scheme"))
        #expect(script.contains("/openrpc.json"))
        for address in ["http://", "https://", "src=", "@import", "url("] {
            #expect(!text.contains(address), "\(address)")
        }
        // Without unsafe-inline a browser ignores such attributes.
        #expect(!text.contains(" style=\"") && !text.contains(" onclick=\""))
    }

    @Test func `the policy allows the page's own script and style only`() throws {
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
