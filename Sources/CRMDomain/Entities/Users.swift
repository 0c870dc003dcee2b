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
        search: .crm(),
        defaultOrder: [OrderTerm("email")],
        access: access(to: "users"))
}
