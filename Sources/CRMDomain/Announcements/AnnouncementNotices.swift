import DomainKit
import JSON
import TextEncodings

extension CRM {
    static let announcementNotices = [sessionAnnouncement, blockedAnnouncements, orphanAnnouncements]

    /// `sessions.annoncer`: the message on Discord about a session without a trainer.
    static let annoncer = Command(
        name: "sessions.annoncer", label: "Annoncer sur Discord",
        summary:
            "Annonce sur Discord une session qui cherche son formateur, ou renvoie son annonce. L’annonce suit la"
            + " session\u{202F}: elle change avec elle, et est barrée quand un formateur est trouvé.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "sessions", label: "Session", summary: "L’identifiant.")
        ],
        function: "public.sessions_annoncer", answers: .record(of: "sessions"), roles: [.user, .admin],
        rules: [
            Rule(
                constraint: "sessions_annoncer_pourvue", columns: ["id"], message: Messages.sessionHasTrainer,
                effect: .conflict(reason: "pourvue", facts: []), holds: nil),
            Rule(
                constraint: "sessions_annoncer_passee", columns: ["id"], message: Messages.sessionIsOver,
                effect: .conflict(reason: "passee", facts: []), holds: nil),
            Rule(
                constraint: "sessions_annoncer_webhook", columns: ["id"], message: Messages.noWebhook,
                effect: .conflict(reason: "webhook", facts: []), holds: nil),
        ])

    /// Posts the announcement of a session, or edits it. The session may be deleted, which is not the end of the notice: the
    /// message is struck through then. It is loaded as a row for that reason.
    private static let sessionAnnouncement = Notice(
        name: "sessions.annonce", entity: "sessions",
        loads: [
            .rows(of: "sessions", Announcement.selection, atMost: 1) { parameters in
                ["where": ["id": ["eq": parameters["id"] ?? .null]]]
            }
        ],
        functions: ["public.annonces_etat"], sent: "public.annonces_envoyee", failed: "public.annonces_bloquee"
    ) { loaded in
        guard let state = Announcement.State(loaded[1]) else { return [] }
        return [Announcement(state: state, session: loaded[0].firstRecord).request].compactMap(\.self)
    }

    /// Tells an administrator that announcements do not arrive. Its record is the account.
    private static let blockedAnnouncements = Notice(
        name: "organisme.annonces_bloquees", entity: "organisme", loads: [], functions: ["public.annonces_alerte"]
    ) { loaded in
        guard let address = loaded[0].text else { return [] }
        return [mail(to: address, Messages.blockedAnnouncementsSubject, Messages.blockedAnnouncements)]
    }

    /// Names to an administrator the messages that may stay on Discord and that cannot be edited. Its record is the account.
    private static let orphanAnnouncements = Notice(
        name: "organisme.annonces_orphelines", entity: "organisme", loads: [],
        functions: ["public.annonces_alerte", "public.annonces_orphelines"]
    ) { loaded in
        guard let address = loaded[0].text, let list = loaded[1].text else { return [] }
        let orphans: JSONValue
        do throws(JSONError) { orphans = try JSONReader.read(list).value } catch { return [] }
        guard case .array(let rows) = orphans, !rows.isEmpty else { return [] }
        return [
            mail(
                to: address, Messages.orphanAnnouncementsSubject,
                Messages.orphanAnnouncements(rows.map(orphan).joined(separator: "\n")))
        ]
    }

    /// One line about a session: its title, its day and its identifier.
    private static func orphan(_ row: JSONValue) -> String {
        let day = row["date"]?.text.flatMap { CalendarDate($0) }.map(FrenchTypography.printed.day)
        let facts = [row.line("module"), day, row["session"].map { "session nº\u{A0}\($0.jsonText)" }]
        return "– " + facts.compactMap(\.self).joined(separator: " · ")
    }

    private static func mail(to address: String, _ subject: String, _ paragraphs: [String]) -> Message {
        let paragraphs = paragraphs + ["LearnTrack"]
        let lines = paragraphs.map { $0.escapedForHTML.split(separator: "\n").joined(separator: "<br>\n") }
        return .mail(
            to: address, subject: subject, text: paragraphs.joined(separator: "\n\n") + "\n",
            html: MailPage(title: subject, body: lines.map { "<p>\($0)</p>" }.joined(separator: "\n")).html)
    }
}
