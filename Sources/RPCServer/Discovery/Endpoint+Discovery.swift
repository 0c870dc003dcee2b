package import HTTPServer

extension Endpoint {
    /// `GET /openrpc.json`: the document, the same that `rpc.discover` answers.
    package static func openRPC(_ document: OpenRPCDocument) -> Endpoint {
        Endpoint(
            "/openrpc.json",
            fixed: HTTPResponse(
                contentType: "application/json", body: document.bytes,
                headers: [(name: "Cache-Control", value: "no-cache")]))
    }
}
