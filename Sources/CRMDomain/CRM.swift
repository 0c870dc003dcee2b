public import DomainKit

/// LearnTrack itself: the sessions of a training organisation, and the trainers, clients and schools they are planned
/// with.
public enum CRM {
    /// The domain as the server serves it.
    public static let domain = Domain(
        name: "crm", label: "Formations", schema: "public", roles: [.admin, .user],
        entities: [
            sessions, formateurs, clients, ecoles, programmes, prospects, relances, organisme, conflits,
            formateursDisponibles, indicateurs, doublons, relancesDuJour, sessionsAnnulees,
        ],
        commands: commands + prospectCommands,
        methods: [shareMethod, readContactMethod, calendarMethod] + documentMethods,
        subscriptions: [calendarSubscriptions], notices: announcementNotices + [morningMail], jobs: [morningMails],
        signatures: [documentSignatures])

    private static let everyone: Grants = [.user, .admin]
    private static let admins: Grants = [.admin]

    /// Who may do what, for the whole domain. The grants of the migrations repeat it (SEC-04).
    static let access: [String: Access] = [
        "sessions": Access(read: everyone, create: everyone, update: everyone, delete: admins),
        "formateurs": Access(read: everyone, create: admins, update: admins, delete: admins),
        "clients": Access(read: everyone, create: admins, update: admins, delete: admins),
        "programmes": Access(read: everyone, create: admins, update: admins, delete: admins),
        "prospects": Access(read: everyone, create: everyone, update: everyone, delete: admins),
        "relances": Access(read: everyone, create: everyone, update: everyone, delete: admins),
        "ecoles": Access(read: everyone, create: admins, update: admins, delete: admins),
        "organisme": Access(read: everyone, create: [], update: admins, delete: []),
    ]

    /// The rights to the views.
    static let readOnly = Access(read: everyone, create: [], update: [], delete: [])

    /// The row of the table for one entity. An entity that is missing in the table is closed to everyone.
    static func access(to entity: String) -> Access {
        access[entity] ?? Access(read: [], create: [], update: [], delete: [])
    }
}
