import DomainKit
import JSON
import TextEncodings

extension CRM {
    static let announcementNotices = [sessionAnnouncement, blockedAnnouncements]

    /// `sessions.annoncer`: the message on Discord about a session without a trainer.
    static let annoncer = Command(
        name: "sessions.annoncer",
        summary:
            "Annonce sur Discord une session qui cherche son formateur. L’annonce suit la session\u{A0}: elle change avec"
            + " elle, et est barrée quand un formateur est trouvé.",
        parameters: [Column("id", .bigint, nullable: false, of: "sessions", summary: "L’identifiant.")],
        function: "public.sessions_annoncer", answers: .record(of: "sessions"), roles: [.user, .admin],
        rules: [
            Rule(
                constraint: "sessions_annoncer_pourvue", columns: ["id"], message: Messages.sessionHasTrainer,
                effect: .conflict(reason: "pourvue", facts: []), holds: nil),
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
        secrets: ["public.annonces_etat"], sent: "public.annonces_envoyee", failed: "public.annonces_bloquee"
    ) { loaded in
        guard let state = Announcement.State(loaded[1]) else { return [] }
        return [Announcement(state: state, session: loaded[0].firstRecord).request].compactMap(\.self)
    }

    /// Tells an administrator that announcements do not arrive. Its record is the account.
    private static let blockedAnnouncements = Notice(
        name: "organisme.annonces_bloquees", entity: "organisme", loads: [], secrets: ["public.annonces_alerte"]
    ) { loaded in
        guard let address = loaded[0].text else { return [] }
        return [
            .mail(
                to: address, subject: Messages.blockedAnnouncementsSubject,
                text: (Messages.blockedAnnouncements + ["LearnTrack"]).joined(separator: "\n\n") + "\n",
                html: MailPage(
                    title: Messages.blockedAnnouncementsSubject,
                    body: (Messages.blockedAnnouncements + ["LearnTrack"]).map { "<p>\($0.escapedForHTML)</p>" }
                        .joined(separator: "\n")
                ).html)
        ]
    }
}
