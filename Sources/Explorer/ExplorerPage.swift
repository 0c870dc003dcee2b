import Crypto
import FoundationEssentials
package import HTTPServer
import JSON
import NIOCore

/// The explorer: a page with the service's methods as forms, which it makes from the OpenRPC document. Script and style
/// are part of the page, and its policy forbids loading anything else.
enum ExplorerPage {
    /// - Parameter demo: the accounts of the demo data, which the page offers to sign in with; nil on any other server.
    static func response(demo: DemoAccounts?) -> HTTPResponse {
        let style = String(decoding: PackageResources.explorer_css, as: UTF8.self)
        let script = scripts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        let page = String(decoding: PackageResources.explorer_html, as: UTF8.self)
            .replacing("<style></style>", with: "<style>\(style)</style>", maxReplacements: 1)
            .replacing("<script></script>", with: "<script>\(script)</script>", maxReplacements: 1)
            .replacing("id=\"demo\"></script>", with: "id=\"demo\">\(demo?.json ?? "")</script>", maxReplacements: 1)
        let policy = [
            "default-src 'none'", "script-src \(source(script))", "style-src \(source(style))", "connect-src 'self'",
            "img-src 'self' data:", "frame-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
        ]
        return HTTPResponse(
            contentType: "text/html; charset=utf-8", body: ByteBuffer(string: page),
            headers: [
                (name: "Content-Security-Policy", value: policy.joined(separator: "; ")),
                (name: "Cross-Origin-Opener-Policy", value: "same-origin"),
                (name: "Referrer-Policy", value: "no-referrer"), (name: "Cache-Control", value: "no-cache"),
            ])
    }

    /// In the order of their dependencies.
    private static let scripts = [
        PackageResources.elements_js, PackageResources.names_js, PackageResources.json_js, PackageResources.text_js,
        PackageResources.calls_js, PackageResources.demo_js, PackageResources.links_js, PackageResources.labels_js,
        PackageResources.methods_js, PackageResources.reference_js, PackageResources.reader_js,
        PackageResources.values_js, PackageResources.selections_js, PackageResources.aggregates_js,
        PackageResources.languages_js, PackageResources.suggestions_js, PackageResources.editor_js,
        PackageResources.records_js, PackageResources.relations_js, PackageResources.selection_js,
        PackageResources.picker_js, PackageResources.inputs_js, PackageResources.files_js, PackageResources.form_js,
        PackageResources.entry_js, PackageResources.documents_js, PackageResources.run_js, PackageResources.problems_js,
        PackageResources.table_js, PackageResources.code_js, PackageResources.history_js, PackageResources.events_js,
        PackageResources.start_js,
    ]

    /// The source expression of an inline script or style: the hash of its text.
    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }
}

extension Endpoint {
    /// `GET /explorer`: the explorer.
    ///
    /// - Parameter demo: the accounts of the demo data, which the page offers to sign in with; nil on any other server.
    package static func explorer(demo: DemoAccounts?) -> Endpoint {
        Endpoint("/explorer", fixed: ExplorerPage.response(demo: demo))
    }
}
