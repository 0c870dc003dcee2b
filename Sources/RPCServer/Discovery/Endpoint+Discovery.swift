import DomainKit
import NIOCore

extension Endpoint {
    /// `GET /openrpc.json`: the document, the same that `rpc.discover` answers.
    package static func openRPC(_ document: OpenRPCDocument) -> Endpoint {
        Endpoint(
            "/openrpc.json",
            fixed: HTTPReply(
                contentType: "application/json", body: document.bytes,
                headers: [(name: "Cache-Control", value: "no-cache")]))
    }

    /// `GET /`: a page to look around in the service with.
    package static var explorer: Endpoint { Endpoint("/", fixed: ExplorerPage.reply) }
}
