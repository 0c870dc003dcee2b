package import HTTPServer
import NIOCore

extension Endpoint {
    /// `GET /` of a server without a front: a page that says so.
    package static var missingFront: Endpoint {
        let page = """
            <!doctype html>
            <html lang="fr">
            <head>
            <meta charset="utf-8">
            <title>\(Messages.name)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            </head>
            <body>
            <h1>\(Messages.name)</h1>
            <p>\(Messages.missing)</p>
            <p>\(Messages.remedy)</p>
            <p><a href="/explorer">\(Messages.explorer)</a></p>
            </body>
            </html>

            """
        return Endpoint(
            "/",
            fixed: HTTPResponse(
                contentType: FrontMediaType.page.name, body: ByteBuffer(string: page),
                headers: [
                    (
                        name: "Content-Security-Policy",
                        value:
                            "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                    ),
                    (name: "Referrer-Policy", value: "no-referrer"), (name: "Cache-Control", value: "no-cache"),
                ]))
    }
}
