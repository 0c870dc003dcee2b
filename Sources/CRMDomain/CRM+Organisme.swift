import DomainKit
import JSON

extension CRM {
    /// The training organisation itself: what its documents and announcements say about it, and which rules it has chosen.
    ///
    /// There is one record at most. `organisme.ouvrir` creates it when it is missing.
    static let organisme = Entity(
        name: "organisme",
        noun: Noun("organisme", plural: "organismes", feminine: false),
        columns: [
            .id,
            Column("raison_sociale", .text(maxLength: 255), label: "Raison sociale", summary: "Nom de l’organisme."),
        ] + Column.address + [
            .siret,
            Column("nda", .text(maxLength: 50), format: .nda, label: "Numéro de déclaration d’activité"),
            .vatNumber,
            Column(
                "rcs", .text(maxLength: 100), label: "RCS",
                summary: "Inscription au registre du commerce et des sociétés."),
            Column(
                "telephone", .text(maxLength: 20), format: .phone, label: "Téléphone",
                summary: "Numéro de téléphone, tel que saisi."),
            Column("email", .text(maxLength: 255), format: .email, label: "Adresse e-mail"),
            Column(
                "logo", .bigint, file: FileRule([.png, .svg], maxBytes: 512 * 1_024), label: "Logo",
                summary: "Son logo."),
            Column(
                "mentions", .text(maxLength: nil), label: "Mentions",
                summary: "Mentions au pied des documents, en 320 caractères et six lignes au plus."),
            Column(
                "signataire", .text(maxLength: 150), label: "Signataire",
                summary: "Nom et qualité de la personne qui signe."),
            Column(
                "conflits_interdits", .boolean, nullable: false, default: false, label: "Chevauchements refusés",
                summary:
                    "Vrai\u{202F}: un formateur n’a pas deux sessions qui se chevauchent\u{202F}; celles qui existent restent."
            ),
            Column(
                "annonces_auto", .boolean, nullable: false, default: false, label: "Annonces automatiques",
                summary: "Vrai\u{202F}: chaque session créée sans formateur est annoncée sur Discord."),
            Column(
                "discord_webhook", .text(maxLength: 300), access: .writeOnly, format: .discordWebhook,
                label: "Adresse du salon Discord (webhook)",
                summary: "Adresse du webhook de Discord où paraissent les annonces."),
            Column(
                "clauses_convention", .text(maxLength: Column.longText), label: "Clauses des conventions",
                summary: "Clauses des conventions avec les clients, un alinéa par ligne."),
            Column(
                "clauses_sous_traitance", .text(maxLength: Column.longText),
                label: "Clauses des contrats de sous-traitance",
                summary: "Clauses des contrats de sous-traitance avec les formateurs, un alinéa par ligne."),
            Column(
                "reglement", .text(maxLength: Column.longText), label: "Conditions de règlement",
                summary: "Conditions de règlement des conventions, un alinéa par ligne."),
        ] + Column.bookkeeping,
        search: nil,
        defaultOrder: [OrderTerm("id")],
        // The database checks it, because longer mentions that an earlier version took stay.
        rules: [
            Rule(
                constraint: "organisme_mentions_longueur", columns: ["mentions"], message: Messages.longMentions,
                holds: nil)
        ],
        access: access(to: "organisme"), isSingle: true)

    /// `organisme.ouvrir`: the only record, which the first call creates.
    static let ouvrirOrganisme = Command(
        name: "organisme.ouvrir", label: "Ouvrir la fiche", summary: "La fiche de l’organisme, créée au premier appel.",
        parameters: [], function: "public.organisme_ouvrir", answers: .record(of: "organisme"), roles: [.user, .admin])
}
