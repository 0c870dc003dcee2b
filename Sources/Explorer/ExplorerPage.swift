import Crypto
import FoundationEssentials
package import HTTPServer
import NIOCore

/// The explorer: a page with the service's methods as forms, which it makes from the OpenRPC document. Script and style
/// are part of the page, and its policy forbids loading anything else.
enum ExplorerPage {
    /// Assembled once.
    static let response: HTTPResponse = {
        let style = String(decoding: PackageResources.explorer_css, as: UTF8.self)
        let script = scripts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        let page = String(decoding: PackageResources.explorer_html, as: UTF8.self)
            .replacing("<style></style>", with: "<style>\(style)</style>", maxReplacements: 1)
            .replacing("<script></script>", with: "<script>\(script)</script>", maxReplacements: 1)
        let policy = [
            "default-src 'none'", "script-src \(source(script))", "style-src \(source(style))", "connect-src 'self'",
            "img-src 'self' data:", "frame-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
        ]
        return HTTPResponse(
            contentType: "text/html; charset=utf-8", body: ByteBuffer(string: page),
            headers: [
                (name: "Content-Security-Policy", value: policy.joined(separator: "; ")),
                (name: "Referrer-Policy", value: "no-referrer"), (name: "Cache-Control", value: "no-cache"),
            ])
    }()

    /// In the order of their dependencies.
    private static let scripts = [
        PackageResources.elements_js, PackageResources.json_js, PackageResources.text_js, PackageResources.calls_js,
        PackageResources.links_js, PackageResources.methods_js, PackageResources.reference_js,
        PackageResources.selection_js, PackageResources.picker_js, PackageResources.inputs_js,
        PackageResources.files_js, PackageResources.form_js, PackageResources.entry_js, PackageResources.documents_js,
        PackageResources.run_js, PackageResources.problems_js, PackageResources.table_js, PackageResources.code_js,
        PackageResources.history_js, PackageResources.events_js, PackageResources.start_js,
    ]

    /// The source expression of an inline script or style: the hash of its text.
    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }
}

extension Endpoint {
    /// `GET /`: the explorer.
    package static var explorer: Endpoint { Endpoint("/", fixed: ExplorerPage.response) }
}
