import TextEncodings

/// The button of a mail: a link that all mails of the service show in the same way.
package enum MailButton {
    /// The colour of the page that signatories see. Programs that show mails know no style sheets.
    private static let style =
        "display: inline-block; padding: 0.7em 1.2em; border-radius: 0.5em; background: #1f4f8f; color: #ffffff; "
        + "text-decoration: none;"

    /// The link in HTML.
    ///
    /// - Parameters:
    ///   - text: what stands on it.
    ///   - url: what it opens.
    package static func html(_ text: String, to url: String) -> String {
        "<a href=\"\(url.escapedForHTML)\" style=\"\(style)\">\(text.escapedForHTML)</a>"
    }
}
