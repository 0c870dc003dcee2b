import Documents
import DomainKit
import JSON
import Outbox
import TextEncodings

/// The French mails about a document to sign.
struct SignatureMail {
    private let name: String
    private let document: String
    /// What the document is about, with its article; nil if only its name says it.
    private let matter: String?
    private let organisation: String?
    private let deadline: String
    private let asker: String?
    private let url: String

    /// - Parameters:
    ///   - signatory: the record, with its document.
    ///   - asker: the name and the address of the account that asks.
    ///   - organisation: for whom the account asks; nil if it has no name.
    ///   - deadline: until when the link signs: `2026-12-07T14:32`.
    ///   - url: the address of the link.
    init(_ signatory: JSONValue, asker: String?, organisation: String?, deadline: String = "", url: String) {
        name = signatory["name"]?.text ?? ""
        document = (signatory["signature"]?["name"]?.text ?? "").withoutExtension
        matter = signatory["signature"]?["subject"]?.text
        self.organisation = organisation
        self.deadline = deadline.asFrenchMoment
        self.asker = asker
        self.url = url
    }

    func invitation(to address: String) -> Message {
        let asks =
            organisation.map { organisation in
                "\(organisation) vous demande" + (asker.map { ", par \($0)," } ?? "")
            } ?? asker.map { "\($0) vous demande" } ?? "On vous demande"
        return Self.mail(
            to: address, subject: "Document à signer\u{202F}: \(document)",
            paragraphs: [
                "Bonjour \(name),",
                "\(asks) de signer "
                    + (matter.map { "\($0) (document \(document.quotedInFrench))." }
                        ?? "le document \(document.quotedInFrench)."),
                "Ouvrez ce lien pour le lire et le signer\u{202F}:",
            ], url: url, button: "Lire et signer le document",
            closing: [
                "Il vous est personnel, ne sert qu’une fois et reste valable jusqu’au \(deadline).",
                "Si vous n’attendez rien, ignorez ce message\u{202F}: rien n’est signé sans vous.",
            ])
    }

    func copy(to address: String, _ attachments: [Message.Attachment]) -> Message {
        Self.mail(
            to: address, subject: "Document signé\u{202F}: \(document)",
            paragraphs: [
                "Bonjour \(name),",
                "Tous les signataires ont signé " + (matter ?? "le document \(document.quotedInFrench)") + ". "
                    + (attachments.isEmpty
                        ? "Le document, avec sa page de preuve\u{202F}:"
                        : "Le document est joint à ce message, avec sa page de preuve, et s’ouvre à cette adresse\u{202F}:"),
            ], url: url, button: "Ouvrir le document signé",
            closing: ["Gardez-en une copie\u{202F}: ce lien reste valable quatorze jours."], attachments)
    }

    /// - Parameter record: the document, with its signatories.
    static func done(_ record: JSONValue, to address: String, _ attachments: [Message.Attachment]) -> Message {
        let document = (record["name"]?.text ?? "").withoutExtension
        var names: [String] = []
        if case .array(let signatories)? = record["signatories"] {
            names = signatories.compactMap { $0["signed_name"]?.text ?? $0["name"]?.text }
        }
        return mail(
            to: address, subject: "Document signé\u{202F}: \(document)",
            paragraphs: [
                "Bonjour,",
                "Le document \(document.quotedInFrench) est signé par \(names.joined(separator: ", "))."
                    + (attachments.isEmpty ? "" : " Il est joint à ce message, avec sa page de preuve."),
                "Son empreinte SHA-256, page de preuve comprise\u{202F}: \(record["final_sha256"]?.text ?? "").",
            ], url: nil, button: "", closing: [], attachments)
    }

    private static func mail(
        to address: String, subject: String, paragraphs: [String], url: String?, button: String, closing: [String],
        _ attachments: [Message.Attachment] = []
    ) -> Message {
        let text = (paragraphs + [url].compactMap(\.self) + closing).joined(separator: "\n\n") + "\n"
        let before = paragraphs.map { "<p>\($0.escapedForHTML)</p>" }
        let after = closing.map { "<p>\($0.escapedForHTML)</p>" }
        let link = url.map { url in
            """
            <p>\(MailButton.html(button, to: url))</p>
            <p>S’il ne s’ouvre pas, copiez cette adresse&nbsp;:<br>
            <span style="word-break: break-all;">\(url.escapedForHTML)</span></p>
            """
        }
        return .mail(
            to: address, subject: subject.onOneLine, text: text,
            html: """
                <!DOCTYPE html>
                <html lang="fr">
                <head><meta charset="utf-8"><title>\(subject.escapedForHTML)</title></head>
                <body style="font-family: sans-serif; line-height: 1.5; color: #1c1c1e; max-width: 36em; margin: 2em auto;">
                \((before + [link].compactMap(\.self) + after).joined(separator: "\n"))
                </body>
                </html>
                """, attachments: attachments)
    }
}

extension String {
    /// The name of a file without `.pdf`.
    var withoutExtension: String { hasSuffix(".pdf") ? String(dropLast(4)) : self }

    /// Subjects have one line.
    fileprivate var onOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension CalendarDate {
    /// `6 décembre 2026`.
    var inFrench: String {
        let months = [
            "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
            "décembre",
        ]
        return "\(day == 1 ? "1er" : String(day)) \(months[month - 1]) \(year)"
    }
}

extension String {
    /// `7 décembre 2026 à 14\u{A0}h\u{A0}32`, from `2026-12-07T14:32`; the text itself if it is no such moment.
    var asFrenchMoment: String {
        let parts = split(separator: "T")
        guard parts.count == 2, let day = CalendarDate(parts[0]) else { return self }
        let clock = parts[1].split(separator: ":")
        guard clock.count == 2, let hour = Int(clock[0]) else { return self }
        return "\(day.inFrench) à \(hour)\u{A0}h" + (clock[1] == "00" ? "" : "\u{A0}\(clock[1])")
    }
}

extension SignatureMethods {
    enum Messages {
        static let signatories =
            "Donnez à chaque signataire un nom, qui ne soit pas vide et n’ait pas de caractère invisible, et une adresse."
        static let full = "Vous avez demandé trop de signatures depuis hier\u{202F}: essayez plus tard."
        /// Of a signatory who signs for somebody else than a party of the document.
        static func otherCapacity(than own: [String]) -> String {
            "Donnez \(own.map(\.quotedInFrench).joined(separator: " ou "))\u{202F}: ce document n’a pas d’autre partie."
        }
        static let sameAddress = "Donnez à chaque signataire une adresse à lui\u{202F}: l’une d’elles est là deux fois."
        static let ended = "Ce document n’attend plus de signature."
        static let hasSigned = "Ce signataire a déjà signé."
        static let reminders = "Ce signataire a déjà été relancé dix fois."
        static let noMail = "Ce service n’a pas de serveur de messagerie\u{202F}: les liens ne partiraient pas."
        static let otherAccount =
            "Un autre compte a demandé ces signatures\u{202F}: lui seul, ou un administrateur, peut s’en occuper."
    }
}
