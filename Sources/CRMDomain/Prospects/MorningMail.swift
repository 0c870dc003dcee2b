import DomainKit
import JSON
import TextEncodings

extension CRM {
    /// Enters the mails of the morning, from Monday to Friday.
    static let morningMails = Job(
        name: "prospects.relances_du_matin", label: "Courriels des relances du matin",
        schedule: .daily(hour: 7, minute: 0),
        function: "public.relances_du_matin")

    /// The mail of the morning to one account: what is due of the prospects that it follows. Its record is the account.
    static let morningMail = Notice(
        name: "prospects.relances", entity: "prospects",
        loads: [
            .rows(of: "relances_du_jour", MorningMail.selection, atMost: MorningMail.limit) { parameters in
                ["where": ["responsable_id": ["eq": parameters["id"] ?? .null]], "order_by": ["date"]]
            }
        ],
        functions: ["public.relances_pour"], sent: "public.relances_courriel_parti"
    ) { loaded in
        [MorningMail(loaded[0], for: loaded[1])?.message].compactMap(\.self)
    }
}

/// What an account has to do today about its prospects.
struct MorningMail {
    fileprivate struct Reminder {
        /// The name of the prospect.
        let name: String
        let contact: String?
        let phone: String?
        let email: String?
        /// How, and since when it is due.
        let facts: [String]
        let note: String?
    }

    /// A longer list is cut.
    static let limit = 100
    private static let longestNote = 500

    static let selection = """
        { date retard canal note prospect { raison_sociale nom_contact telephone email ville } }
        """

    private let address: String
    private let name: String?
    private let day: String
    private let count: Int
    private let reminders: [Reminder]
    /// Those of accounts that are not active any more, in the mail of an administrator.
    private let orphans: [Reminder]

    /// - Parameters:
    ///   - rows: in the form of ``selection``.
    ///   - secret: what `relances_pour` returns.
    /// - Returns: nil if there is no mail to send any more.
    init?(_ rows: JSONValue, for secret: JSONValue) {
        guard let text = secret.text, case .array(let rows) = rows else { return nil }
        let recipient: JSONValue
        do throws(JSONError) { recipient = try JSONReader.read(text).value } catch { return nil }
        guard let address = recipient["email"]?.text,
            let day = recipient["jour"]?.text.flatMap({ CalendarDate($0) })
        else { return nil }
        var left: [JSONValue] = []
        if case .array(let others)? = recipient["sans_suivi"] { left = others }
        guard !rows.isEmpty || !left.isEmpty else { return nil }
        self.address = address
        name = recipient.line("nom")
        self.day = FrenchTypography.printed.day(day)
        count = max(rows.count, recipient["nombre"]?.integer ?? 0) + left.count
        reminders = rows.map(Reminder.init)
        orphans = left.prefix(Self.limit).map(Reminder.init)
    }

    var message: Message { .mail(to: address, subject: subject, text: text, html: html) }

    private var number: String { count == 1 ? "1 relance" : "\(count) relances" }
    private var subject: String { "Vos relances du \(day)\u{202F}: \(count)" }
    private var greeting: String { name.map { "Bonjour \($0)," } ?? "Bonjour," }
    private var introduction: String { "Vous avez \(number) à faire aujourd’hui, \(day)\u{202F}:" }
    private static let orphansIntroduction =
        "Dont celles de comptes désactivés\u{202F}: donnez-leur un autre responsable."
    /// What the mail leaves out.
    private var remainder: String? {
        let left = count - reminders.count - orphans.count
        guard left > 0 else { return nil }
        return left == 1 ? "Et une autre, dans LearnTrack." : "Et \(left) autres, dans LearnTrack."
    }

    private var text: String {
        let heading = orphans.isEmpty ? nil : Self.orphansIntroduction
        let parts =
            [greeting, introduction] + reminders.map(\.text) + [heading].compactMap(\.self) + orphans.map(\.text)
        return (parts + [remainder, "LearnTrack"].compactMap(\.self)).joined(separator: "\n\n") + "\n"
    }

    private var html: String {
        let paragraphs = [
            "<p>\(greeting.escapedForHTML)</p>", "<p>\(introduction.escapedForHTML)</p>", Self.list(reminders),
            orphans.isEmpty ? nil : "<p>\(Self.orphansIntroduction.escapedForHTML)</p>", Self.list(orphans),
            remainder.map { "<p>\($0.escapedForHTML)</p>" }, "<p>LearnTrack</p>",
        ]
        return MailPage(title: subject, body: paragraphs.compactMap(\.self).joined(separator: "\n")).html
    }

    private static func list(_ reminders: [Reminder]) -> String? {
        guard !reminders.isEmpty else { return nil }
        return "<ul>\n\(reminders.map(\.item).joined(separator: "\n"))\n</ul>"
    }
}

extension MorningMail.Reminder {
    fileprivate init(_ row: JSONValue) {
        let prospect = row["prospect"] ?? .null
        name = prospect.line("raison_sociale") ?? ""
        contact = prospect.line("nom_contact")
        phone = prospect.line("telephone")
        email = prospect.line("email")
        facts = [
            prospect.line("ville"), Self.channel(row["canal"]?.text), Self.delay(row["retard"]?.integer ?? 0),
            row.line("responsable").map { "suivi par \($0)" },
        ].compactMap(\.self)
        note = row.line("note", atMost: MorningMail.longestNote)
    }

    /// The lines in the text of the mail.
    fileprivate var text: String {
        (["– " + ([name] + facts).joined(separator: " · ")] + details.map { "  " + $0 }).joined(separator: "\n")
    }

    /// The item of the list in the HTML of the mail.
    fileprivate var item: String {
        let facts = facts.map { " · \($0.escapedForHTML)" }.joined()
        let details = details.map { "<br>\n\($0.escapedForHTML)" }.joined()
        return "<li style=\"margin-bottom: 0.7em;\"><strong>\(name.escapedForHTML)</strong>\(facts)\(details)</li>"
    }

    /// How to reach the prospect, and what to say.
    fileprivate var details: [String] {
        let reach = [contact, phone, email].compactMap(\.self).joined(separator: " · ")
        return [reach.unlessEmpty, note].compactMap(\.self)
    }

    private static func channel(_ word: String?) -> String? {
        switch word {
        case "telephone": "par téléphone"
        case "email": "par e-mail"
        case "rendez_vous": "rendez-vous"
        case "courrier": "par courrier"
        default: nil
        }
    }

    private static func delay(_ days: Int) -> String? {
        guard days > 0 else { return nil }
        return days == 1 ? "en retard d’un jour" : "en retard de \(days) jours"
    }
}
