import Crypto
import Foundation
import HTTPServer
import NIOCore
import Testing

@testable import Explorer

@Suite struct ExplorerPageTests {
    private static let response = ExplorerPage.response(demo: nil)
    private let text = String(buffer: Self.response.body)

    @Test func `the page is French and complete, and loads nothing else`() throws {
        #expect(Self.response.contentType == "text/html; charset=utf-8")
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

    @Test func `the page shows the labels that the document has`() throws {
        let script = try inline("script")
        for name in ["\"x-label\"", "\"x-labels\""] { #expect(script.contains(name)) }
        #expect(text.contains("id=\"method-label\""))
    }

    @Test func `the policy allows the page's own script and style only`() throws {
        let header = Self.response.headers.first { $0.name == "Content-Security-Policy" }
        let policy = try #require(header?.value)
        for element in ["script", "style"] {
            let digest = SHA256.hash(data: Data(try inline(element).utf8))
            #expect(policy.contains("\(element)-src 'sha256-\(Data(digest).base64EncodedString())';"))
        }
        #expect(policy.hasPrefix("default-src 'none';"))
        #expect(!policy.contains("unsafe"))
    }

    @Test func `no page that another one opens has a hold on it`() {
        let opener = Self.response.headers.first { $0.name == "Cross-Origin-Opener-Policy" }
        #expect(opener?.value == "same-origin")
    }

    @Test func `the page has the accounts of the demo data only on a server that serves them`() throws {
        let element = "<script type=\"application/json\" id=\"demo\">"
        #expect(text.contains("\(element)</script>"))
        let emails = ["a@demo.example", "</script>@demo.example"]
        let demo = DemoAccounts(emails: emails, password: "un \"mot\" public")
        let page = String(buffer: ExplorerPage.response(demo: demo).body)
        let accounts = #"["a@demo.example","\u003c/script>@demo.example"]"#
        let content = #"{"accounts":\#(accounts),"password":"un \"mot\" public"}"#
        #expect(page.contains("\(element)\(content)</script>"))
        // The rest of the page, and so its policy, is the same.
        #expect(page.count > text.count && page.hasPrefix(text.prefix(1_000)))
    }

    private func inline(_ element: String) throws -> Substring {
        let start = try #require(text.range(of: "<\(element)>"))
        let end = try #require(text.range(of: "</\(element)>", range: start.upperBound..<text.endIndex))
        return text[start.upperBound..<end.lowerBound]
    }
}
