public import DomainKit
import JSON

extension Accounts {
    /// The domain of an installation that serves domains with roles of their own: administrators give them to accounts.
    ///
    /// - Parameter roles: the roles beside the base roles. If there are none, the domain is ``domain``.
    public static func domain(granting roles: [Role]) -> Domain {
        guard !roles.isEmpty else { return domain }
        return Domain(
            name: domain.name, label: domain.label, schema: domain.schema, roles: domain.roles,
            entities: [users.adding(heldRoles), accountRoles(granting: roles)], commands: domain.commands)
    }

    private static let heldRoles = Relation(
        "roles", to: "account_roles", .toMany(column: "account_id"), label: "Autres rôles",
        summary: "Ses rôles en plus du rôle de base.")

    /// The roles of accounts, one record for each. They are given and taken; to change one, take it and give another.
    ///
    /// The database checks a role and its subject again, also for psql.
    private static func accountRoles(granting roles: [Role]) -> Entity {
        let labelled = roles.compactMap { role in role.label.map { (word: role.name, label: $0) } }
        let words = labelled.count == roles.count ? Choices(labelled) : Choices(roles.map(\.name))
        let withoutSubject = roles.filter { $0.subject == nil }.map(\.name)
        return Entity(
            name: "account_roles",
            noun: Noun("rôle de compte", plural: "rôles de comptes", feminine: false),
            columns: [
                .id,
                Column("account_id", .bigint, nullable: false, label: "Compte", summary: "Le compte."),
                Column(
                    "role", .choice(words), nullable: false, label: "Rôle",
                    summary: "Le rôle, en plus de celui du compte."),
                Column(
                    "subject", .bigint, label: "Fiche représentée",
                    summary: "Identifiant de la fiche que le compte représente dans ce rôle\u{202F}; null pour un rôle"
                        + " sans fiche."),
            ] + Column.bookkeeping,
            relations: [
                Relation(
                    "account", to: "users", .toOne(column: "account_id"), isPart: true, label: "Compte",
                    summary: "Le compte.")
            ],
            search: nil,
            defaultOrder: [OrderTerm("id")],
            rules: [
                Rule(
                    constraint: "account_roles_without_subject", columns: ["role", "subject"],
                    message: Messages.roleWithoutSubject
                ) { values in
                    !withoutSubject.contains(values["role"]?.text ?? "")
                },
                Rule(
                    constraint: "account_roles_at_most_32", columns: ["role"], message: Messages.tooManyRoles,
                    holds: nil),
            ],
            access: Access(read: [.admin], create: [.admin], update: [], delete: [.admin]))
    }
}

extension Entity {
    /// This entity with a further relation.
    fileprivate func adding(_ relation: Relation) -> Entity {
        Entity(
            name: name, rows: rows, noun: noun, columns: columns, derived: derived, relations: relations + [relation],
            title: title, search: search, defaultOrder: defaultOrder, rules: rules,
            disclosingConstraints: disclosingConstraints,
            access: access, isSingle: isSingle, isDuplicable: isDuplicable, isInJournal: isInJournal,
            isInFeed: isInFeed, successor: successor, personal: personal)
    }
}
