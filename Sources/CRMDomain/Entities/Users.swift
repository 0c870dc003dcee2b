import DomainKit

extension CRM {
    static let users = Entity(
        name: "users",
        noun: Noun("utilisateur", plural: "utilisateurs", feminine: false),
        columns: [
            .id,
            Column("username", .text(maxLength: 100), summary: "Nom d'utilisateur."),
            Column(
                "email", .text(maxLength: 255), nullable: false, format: .email,
                summary: "Adresse e-mail de connexion, unique sans égard à la casse."),
            Column(
                "role", .choice(["admin", "user"]), nullable: false, hasDefault: true,
                summary: "Rôle\u{A0}: admin gère tout, user consulte et tient les sessions."),
            Column("supabase_user_id", .uuid, summary: "Identifiant du compte dans l'ancien projet Supabase."),
            Column(
                "is_active", .boolean, nullable: false, hasDefault: true,
                summary: "Faux\u{A0}: le compte est désactivé et ne se connecte plus."),
        ] + Column.bookkeeping,
        search: .crm(["username", "email"]),
        defaultOrder: [OrderTerm("email")],
        rules: [.someAdminRemains],
        access: access(to: "users"))
}

extension Rule {
    /// Which accounts there are only the database can say, and it does, whoever changes them at the same time.
    static let someAdminRemains = Rule(
        constraint: "users_dernier_admin", columns: ["role", "is_active"],
        message: "Nommez d'abord un autre administrateur actif\u{A0}: c'est le dernier.", holds: nil)
}
