import Glibc

/// A mail with the same content in two forms: plain text, and HTML for readers that display it. Files may go with it.
package struct MailMessage: Sendable {
    /// A file that goes with a mail.
    package struct Attachment: Sendable {
        let name: String
        let mediaType: String
        let bytes: [UInt8]

        /// - Parameter name: of the file, with its extension and without control characters.
        package init(name: String, mediaType: String, bytes: [UInt8]) {
            self.name = name
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    package let from: MailAddress
    package let to: MailAddress
    package let subject: String
    package let text: String
    package let html: String
    package let attachments: [Attachment]
    /// The message id without its angle brackets: unique, and the same when the mail is sent again.
    package let id: String

    /// - Parameter id: what is unique about the message id, the same for each attempt to send the same mail; nil: random.
    package init(
        from: MailAddress, to: MailAddress, subject: String, text: String, html: String,
        attachments: [Attachment] = [], id: String? = nil
    ) {
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.attachments = attachments
        self.id = (id ?? Self.random()) + "@" + from.domain
    }

    /// The text to be sent (RFC 5322).
    ///
    /// - Parameter time: seconds since 1970.
    package func rendered(at time: Int = Int(Glibc.time(nil))) -> String {
        let headers = [
            "Date: \(Self.date(time))", "From: \(from.header)", "To: \(to.header)",
            "Subject: \(EncodedWords.encode(subject))", "Message-ID: <\(id)>", "MIME-Version: 1.0",
            // Asks autoresponders not to answer (RFC 3834).
            "Auto-Submitted: auto-generated", "Content-Language: fr",
        ]
        // Readers display the last form that they support.
        let content = Self.multipart(
            "alternative",
            [("text/plain", text), ("text/html", html)].map { type, content in
                "Content-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
                    + QuotedPrintable.encode(content)
            })
        let whole = attachments.isEmpty ? content : Self.multipart("mixed", [content] + attachments.map(\.part))
        return headers.joined(separator: "\r\n") + "\r\n" + whole
    }

    /// An entity of several parts, each with its own headers.
    private static func multipart(_ kind: String, _ parts: [String]) -> String {
        // Neither quoted-printable text nor Base64 can contain `=_`: an equals sign is followed by hex digits or the end of a line.
        let boundary = "=_" + random()
        return "Content-Type: multipart/\(kind);\r\n boundary=\"\(boundary)\"\r\n\r\n"
            + parts.map { "--\(boundary)\r\n\($0)" }.joined() + "--\(boundary)--\r\n"
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

extension MailMessage.Attachment {
    /// The file with its headers, in lines of 76 characters of Base64.
    fileprivate var part: String {
        let digits = Array(MIMEBase64.encode(bytes).utf8)
        let lines = stride(from: 0, to: digits.count, by: 76).map {
            String(decoding: digits[$0..<min($0 + 76, digits.count)], as: UTF8.self)
        }
        return "Content-Type: \(mediaType)\r\nContent-Transfer-Encoding: base64\r\n"
            + "Content-Disposition: attachment;\r\n filename*=UTF-8''\(percentEncodedName)\r\n\r\n"
            + lines.map { $0 + "\r\n" }.joined()
    }

    /// The name as RFC 2231 wants it.
    private var percentEncodedName: String {
        name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
