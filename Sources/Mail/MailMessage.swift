import Glibc

/// A mail with the same content in two forms: plain text, and HTML for readers that display it.
package struct MailMessage: Sendable {
    package let from: MailAddress
    package let to: MailAddress
    package let subject: String
    package let text: String
    package let html: String
    /// The message id without its angle brackets: unique, and the same when the mail is sent again.
    package let id: String

    /// - Parameter id: what is unique about the message id, the same for each attempt to send the same mail; nil: random.
    package init(
        from: MailAddress, to: MailAddress, subject: String, text: String, html: String, id: String? = nil
    ) {
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.id = (id ?? Self.random()) + "@" + from.domain
    }

    /// The text to be sent (RFC 5322).
    ///
    /// - Parameter time: seconds since 1970.
    package func rendered(at time: Int = Int(Glibc.time(nil))) -> String {
        // Quoted-printable text cannot contain `=_`: an equals sign is followed by hex digits or the end of a line.
        let boundary = "=_" + Self.random()
        let headers = [
            "Date: \(Self.date(time))", "From: \(from.header)", "To: \(to.header)",
            "Subject: \(EncodedWords.encode(subject))", "Message-ID: <\(id)>", "MIME-Version: 1.0",
            // Asks autoresponders not to answer (RFC 3834).
            "Auto-Submitted: auto-generated", "Content-Language: fr",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
        ]
        // Readers display the last form that they support.
        let parts = [("text/plain", text), ("text/html", html)].map { type, content in
            "--\(boundary)\r\nContent-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
                + QuotedPrintable.encode(content)
        }
        return headers.joined(separator: "\r\n") + "\r\n\r\n" + parts.joined() + "--\(boundary)--\r\n"
    }

    private static func random() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// `Mon, 12 Jan 2026 07:45:10 +0000`
    private static func date(_ time: Int) -> String {
        var time = time_t(time)
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
        let month = months[Int(parts.tm_mon)]
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900) \(clock) +0000"
    }
}
