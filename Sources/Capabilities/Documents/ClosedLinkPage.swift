import HTTPServer
import NIOCore
import NIOHTTP1
import TextEncodings

extension HTTPResponse {
    /// What a person sees who opens a link that has no document: a page that says why, and what to do.
    ///
    /// - Parameters:
    ///   - message: why.
    ///   - forGood: whether the link opens nothing later, either.
    ///   - home: the path of the application, in the company of the link.
    static func closedLink(_ status: Int, _ message: String, forGood: Bool, home: String) -> HTTPResponse {
        let heading = forGood ? DocumentEndpoint.Messages.heading : DocumentEndpoint.Messages.headingForNow
        let remedy = forGood ? "\n<p>\(DocumentEndpoint.Messages.remedy)</p>" : ""
        let page = """
            <!doctype html>
            <html lang="fr">
            <head>
            <meta charset="utf-8">
            <title>\(heading)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            </head>
            <body>
            <h1>\(heading)</h1>
            <p>\(message.escapedForHTML)</p>\(remedy)
            <p><a href="\(home.escapedForHTML)">\(DocumentEndpoint.Messages.home)</a></p>
            </body>
            </html>

            """
        return HTTPResponse(
            status: HTTPResponseStatus(statusCode: status), contentType: "text/html; charset=utf-8",
            body: ByteBuffer(string: page),
            headers: [
                (
                    name: "Content-Security-Policy",
                    value:
                        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                ),
                // The address may have been a secret.
                (name: "Referrer-Policy", value: "no-referrer"), (name: "Cache-Control", value: "no-store"),
            ])
    }
}

extension DocumentEndpoint {
    fileprivate enum Messages {
        static let heading = "Ce lien n’ouvre plus de document"
        static let headingForNow = "Ce lien n’ouvre pas de document pour le moment"
        static let remedy =
            "Un lien de document vaut quinze minutes. Retournez sur la page d’où il vient et demandez de nouveau le document\u{202F};"
            + " si quelqu’un vous l’a envoyé, demandez-lui le document lui-même."
        static let home = "Ouvrir LearnTrack"
    }
}
