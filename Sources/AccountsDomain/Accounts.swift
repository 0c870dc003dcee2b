public import DomainKit
import JSON

/// The accounts of the people who sign in. Every installation has them, along with the domains that it serves.
///
/// The table `users` contains no secrets: password hashes are in `credentials`, which only the database role
/// `learntrack_auth` may read. The module `Auth` works on both.
public enum Accounts {
    /// The domain as the server serves it.
    public static let domain = Domain(
        name: "accounts", label: "Comptes", schema: "public", roles: [.admin, .user], entities: [users],
        commands: [inviteAgain])

    /// One record for each member of a company: an account, and what it is there. Everyone reads their own by `auth.me`.
    ///
    /// An administrator removes a member with what it has: roles, access keys, subscriptions, invitations. Records that name it keep it
    /// (409 `referenced`): it is deactivated then. Its account goes with its last company.
    public static let users = Entity(
        name: "users",
        noun: Noun("utilisateur", plural: "utilisateurs", feminine: false),
        columns: [
            .id,
            Column("username", .text(maxLength: 100), label: "Nom d’utilisateur"),
            Column(
                "email", .text(maxLength: 255), nullable: false, format: .email, label: "Adresse e-mail",
                summary: "Adresse e-mail de connexion, unique sans égard à la casse."),
            Column(
                "role", .choice(["admin": "Administrateur", "user": "Utilisateur"]), nullable: false, hasDefault: true,
                label: "Rôle", summary: "Rôle de base\u{202F}: admin administre, user est un membre ordinaire."),
            Column(
                "supabase_user_id", .uuid, label: "Identifiant Supabase",
                summary: "Identifiant du compte dans l’ancien projet Supabase."),
            Column(
                "is_active", .boolean, nullable: false, hasDefault: true, label: "Compte actif",
                summary: "Faux\u{202F}: le compte est désactivé et ne se connecte plus."),
        ] + Column.bookkeeping,
        derived: [
            DerivedField(
                "invitation",
                .choice([
                    "waiting": "En attente d’envoi", "sent": "Envoyée", "failed": "Échec de l’envoi",
                    "expired": "Lien expiré",
                ]), label: "Invitation",
                summary:
                    "Où en est l’invitation à choisir un mot de passe\u{202F}: waiting, elle va partir\u{202F}; sent, elle"
                    + " est partie\u{202F}; failed, elle ne part pas\u{202F}; expired, son lien n’est plus valable\u{202F}; null,"
                    + " le compte a un mot de passe ou n’a pas été invité.")
        ],
        title: "email",
        search: Search(function: "searchable", columns: ["username", "email"]),
        defaultOrder: [OrderTerm("email")],
        rules: [
            anAdministratorRemains, addressIsOfPerson, supabaseIsOfPerson, nobodyRemovesThemselves,
            theLastAdministratorStays,
        ],
        access: Access(read: [.admin], create: [.admin], update: [.admin], delete: [.admin]))

    /// Mails an account without a password another link to choose one.
    private static let inviteAgain = Command(
        name: "users.invite_again", label: "Renvoyer l’invitation",
        summary: "Renvoie à un compte sans mot de passe le lien pour en choisir un, valable sept jours.",
        parameters: [Column("id", .bigint, nullable: false, of: "users", label: "Compte", summary: "Le compte.")],
        function: "kernel.invite_again", answers: .record(of: "users"), roles: [.admin],
        rules: [
            Rule(
                constraint: "users_invite_inactive", columns: ["id"], message: Messages.isInactive,
                effect: .conflict(reason: "inactive"), holds: nil),
            Rule(
                constraint: "users_invite_password", columns: ["id"], message: Messages.hasPassword,
                effect: .conflict(reason: "password"), holds: nil),
        ])

    /// With several companies the address is that of a person whom others know, too.
    private static let addressIsOfPerson = Rule(
        constraint: "users_email_of_person", columns: ["email"], message: Messages.addressOfPerson, holds: nil)

    /// Who signs in by it acts as the person.
    private static let supabaseIsOfPerson = Rule(
        constraint: "users_supabase_of_person", columns: ["supabase_user_id"], message: Messages.supabaseOfPerson,
        holds: nil)

    /// A company is not left by accident: another administrator removes this one.
    private static let nobodyRemovesThemselves = Rule(
        constraint: "users_remove_self", columns: ["id"], message: Messages.removesSelf,
        effect: .conflict(reason: "self"), holds: nil)

    private static let theLastAdministratorStays = Rule(
        constraint: "users_remove_last_admin", columns: ["id"], message: Messages.lastAdministrator,
        effect: .conflict(reason: "last_admin"), holds: nil)

    /// Other accounts decide whether it holds, so only the database can check it. A lock there makes the check exact when
    /// several accounts change at the same time.
    private static let anAdministratorRemains = Rule(
        constraint: "users_last_admin", columns: ["role", "is_active"], message: Messages.lastAdministrator,
        holds: nil)
}
