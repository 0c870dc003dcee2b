import NIOCore

/// Something other than `/rpc` that answers `GET` (and so `HEAD`) at a path of its own.
package struct Endpoint: Sendable {
    package enum Content: Sendable {
        /// Compressed once.
        case fixed(HTTPReply)
        /// Asked for each time, in a task that prefers the connection's event loop: nothing in it may block.
        case computed(@Sendable () async -> HTTPReply)
    }

    package let path: String
    package let content: Content

    package init(_ path: String, fixed reply: HTTPReply) {
        var reply = reply
        reply.compression = KeptCompression()
        self.path = path
        content = .fixed(reply)
    }

    package init(_ path: String, _ reply: @escaping @Sendable () async -> HTTPReply) {
        self.path = path
        content = .computed(reply)
    }
}

extension Endpoint {
    /// `GET /`: names the endpoint and links `links`, as label and address.
    package static func index(title: String, links: [(label: String, address: String)]) -> Endpoint {
        var items = ""
        for link in links {
            items += "<li><a href=\"\(link.address.escapedForHTML)\">\(link.label.escapedForHTML)</a></li>\n"
        }
        let page = """
            <!doctype html>
            <html lang="fr">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title.escapedForHTML)</title>
            </head>
            <body>
            <h1>\(title.escapedForHTML)</h1>
            <p>L’API répond en JSON-RPC 2.0 à <code>POST /rpc</code>.</p>
            <ul>
            \(items)</ul>
            </body>
            </html>

            """
        return Endpoint("/", fixed: .text(page, contentType: "text/html; charset=utf-8"))
    }

    /// `GET /metrics`: Prometheus text as `text` gives it.
    package static func metrics(_ text: @escaping @Sendable () async -> String) -> Endpoint {
        Endpoint("/metrics") {
            var reply = HTTPReply.text(await text(), contentType: "text/plain; version=0.0.4; charset=utf-8")
            reply.headers.append((name: "Cache-Control", value: "no-store"))
            return reply
        }
    }
}

extension String {
    fileprivate var escapedForHTML: String {
        var escaped = ""
        for character in self {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
