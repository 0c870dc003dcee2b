import Crypto
import FoundationEssentials
import TextEncodings

/// The page on which people sign a document through a link, in French. It loads nothing from elsewhere: script and style are
/// part of it, and its policy forbids everything else.
package struct SigningPage: Sendable {
    package let html: String

    /// The policy of all pages.
    package static let contentSecurityPolicy = [
        "default-src 'none'", "script-src \(source(script))", "style-src \(source(style))", "img-src data:",
        "connect-src 'self'", "object-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'",
        "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// Who has documents signed, at the head of the pages.
    package struct Letterhead: Sendable {
        let name: String?
        let logo: [UInt8]?

        /// - Parameter logo: PNG.
        package init(name: String? = nil, logo: [UInt8]? = nil) {
            self.name = name
            self.logo = logo
        }
    }

    /// What the page of a link that can be signed shows.
    package struct Invitation: Sendable {
        let token: String
        let head: Letterhead
        let document: String
        let subject: String?
        let signatory: String
        let consent: String
        let deadline: String
        let sha256: String
        let shown: String

        /// - Parameters:
        ///   - token: of the link: the last part of the address of the page.
        ///   - head: who has it signed.
        ///   - document: what the document is called.
        ///   - subject: what it is about, in words that follow "to sign"; nil if its name says enough.
        ///   - signatory: who is asked to sign.
        ///   - consent: the sentence that the signatory agrees to.
        ///   - deadline: until when the link signs, in words.
        ///   - sha256: of the document that is shown, in hexadecimal.
        ///   - shown: a digest of document and sentence, which the form sends back.
        package init(
            token: String, head: Letterhead = Letterhead(), document: String, subject: String? = nil, signatory: String,
            consent: String, deadline: String, sha256: String, shown: String
        ) {
            self.token = token
            self.head = head
            self.subject = subject
            self.document = document
            self.signatory = signatory
            self.consent = consent
            self.deadline = deadline
            self.sha256 = sha256
            self.shown = shown
        }
    }

    /// The form.
    ///
    /// - Parameters:
    ///   - name: what stands in the field of the name.
    ///   - drawing: the signature that was sent before, a PNG in Base64URL; empty if there is none.
    ///   - consents: whether the signatory has agreed to what the page shows.
    ///   - problem: what is wrong with what was sent before, as a sentence.
    package static func form(
        _ invitation: Invitation, name: String, drawing: String = "", consents: Bool = false, problem: String? = nil
    ) -> SigningPage {
        let document = address(ofDocument: invitation.token)
        return page(
            title: Messages.title(invitation.document), invitation.head,
            """
            <h1>\(Messages.heading)</h1>
            <p class="file">\(invitation.document.escapedForHTML)</p>
            \(problem.map { "<p class=\"problem\" role=\"alert\">\($0.escapedForHTML)</p>" } ?? "")
            <p>\(Messages.welcome(invitation).escapedForHTML)</p>
            <p><a class="button" href="\(document)" target="_blank" rel="noopener noreferrer">\(Messages.open)</a></p>
            <object class="preview" data="\(document)" type="application/pdf" aria-label="\(Messages.document)"></object>
            <form id="signing" method="post">
            <label for="name">\(Messages.name)</label>
            <input type="text" id="name" name="name" required maxlength="150" autocomplete="name" \
            value="\(name.escapedForHTML)">
            <fieldset id="drawing" aria-describedby="hint" hidden>
            <legend>\(Messages.signature)</legend>
            <p id="hint" class="note">\(Messages.hint)</p>
            <canvas id="pad" width="600" height="200" role="img" aria-label="\(Messages.pad)"></canvas>
            <p><button type="button" id="clear">\(Messages.clear)</button></p>
            </fieldset>
            <noscript><p class="note">\(Messages.typed)</p></noscript>
            <input type="hidden" id="signature" name="signature" value="\(drawing)">
            <input type="hidden" name="shown" value="\(invitation.shown.escapedForHTML)">
            <label class="check"><input type="checkbox" id="consent" name="consent" value="oui" \
            required\(consents ? " checked" : "")>
            <span>\(invitation.consent.escapedForHTML)</span></label>
            <button type="submit">\(Messages.submit)</button>
            </form>
            <details class="note"><summary>\(Messages.kept)</summary>
            <p>\(Messages.evidence)</p>
            <p class="digest">\(invitation.sha256.escapedForHTML)</p></details>
            <script>\(script)</script>
            """)
    }

    /// What follows the signature.
    ///
    /// - Parameters:
    ///   - token: of the link, if it opens the signed document; nil while others have not signed.
    package static func thanks(
        document: String, signedDocumentOf token: String?, head: Letterhead = Letterhead()
    ) -> SigningPage {
        page(
            title: Messages.signed, head,
            """
            <h1>\(Messages.thanks)</h1>
            <p class="file">\(document.escapedForHTML)</p>
            <p>\(token == nil ? Messages.othersMissing : Messages.complete)</p>
            \(token.map { link(to: $0, Messages.openSigned) } ?? "")
            """)
    }

    /// The page of a link that cannot be signed.
    ///
    /// - Parameter token: of the link, if it opens the document; else nil.
    package static func refusal(
        _ refusal: Refusal, documentOf token: String? = nil, head: Letterhead = Letterhead()
    ) -> SigningPage {
        page(
            title: refusal.title, head,
            """
            <h1>\(refusal.title.escapedForHTML)</h1>
            <p>\(refusal.explanation.escapedForHTML)</p>
            \(token.map { link(to: $0, Messages.open) } ?? "")
            """)
    }

    /// Why a document cannot be signed through a link.
    package enum Refusal: Sendable, Equatable {
        /// The link is altered, or its document is gone.
        case unknown
        /// The link has expired.
        case late
        case cancelled
        /// The signatory has signed, at this moment.
        case used(on: String)
        /// The company is suspended. The link serves again when it is resumed.
        case suspended
        /// Another attempt may succeed.
        case unavailable
    }

    // MARK: Parts

    private static func page(title: String, _ head: Letterhead, _ content: String) -> SigningPage {
        SigningPage(
            html: """
                <!DOCTYPE html>
                <html lang="fr">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="robots" content="noindex">
                <title>\(title.escapedForHTML)</title>
                <link rel="icon" href="data:,">
                <style>\(style)</style>
                </head>
                <body>
                \(header(head))<main>
                \(content)
                </main>
                </body>
                </html>

                """)
    }

    /// The logo with the name; nothing without either.
    private static func header(_ head: Letterhead) -> String {
        let logo = head.logo.map { bytes in
            "<img src=\"data:image/png;base64,\(Data(bytes).base64EncodedString())\" alt=\"\">"
        }
        let name = head.name.map { "<span>\($0.escapedForHTML)</span>" }
        let parts = [logo, name].compactMap(\.self)
        return parts.isEmpty ? "" : "<header>\(parts.joined())</header>\n"
    }

    private static func link(to token: String, _ text: String) -> String {
        """
        <p><a class="button" href="\(address(ofDocument: token))" target="_blank" rel="noopener noreferrer">\(text)</a></p>
        """
    }

    /// Relative to the address of the page, which may be below a path of a proxy.
    private static func address(ofDocument token: String) -> String { "\(token.escapedForHTML)/document" }

    private static let style = String(decoding: PackageResources.page_css, as: UTF8.self)
    private static let script = String(decoding: PackageResources.page_js, as: UTF8.self)

    /// The source expression of an inline script or style: the hash of its text.
    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }
}
