import TextEncodings

/// The HTML of a mail of this domain.
struct MailPage {
    let title: String
    /// HTML.
    let body: String

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="fr">
        <head><meta charset="utf-8"><title>\(title.escapedForHTML)</title></head>
        <body style="font-family: sans-serif; line-height: 1.5; color: #1c1c1e; max-width: 36em; margin: 2em auto;">
        \(body)
        </body>
        </html>

        """
    }
}
