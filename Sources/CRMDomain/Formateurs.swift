import DomainKit
import JSON

extension CRM {
    static let formateurs = Entity(
        name: "formateurs",
        noun: Noun("formateur", plural: "formateurs", feminine: false),
        columns: [
            .id,
            .requiredText("prenom", maxLength: 100, label: "Prénom"),
            .requiredText("nom", maxLength: 100, label: "Nom", summary: "Nom de famille."),
            Column("email", .text(maxLength: 255), format: .email, label: "Adresse e-mail"),
            Column(
                "telephone", .text(maxLength: 20), format: .phone, label: "Téléphone",
                summary: "Numéro de téléphone, tel que saisi."),
            Column("specialite", .text(maxLength: nil), label: "Spécialité", summary: "Domaine d’expertise."),
            .amount("taux_horaire", label: "Taux horaire", summary: "Taux horaire par défaut, en euros."),
            Column(
                "exterieur", .smallint(0...1), nullable: false, hasDefault: true, label: "Type",
                summary: "Interne (0) ou externe (1)."),
            Column("societe", .text(maxLength: 255), label: "Société", summary: "Nom de la société d’un externe."),
            .siret,
            Column("nda", .text(maxLength: 50), format: .nda, label: "Numéro de déclaration d’activité"),
        ] + Column.address + Column.bookkeeping,
        derived: [
            DerivedField(
                "nom_complet", .text(maxLength: nil), nullable: false, label: "Nom complet", summary: "Prénom et nom."),
            .initials, .phoneLink, .addressLine, .sessionCount,
        ],
        relations: [
            Relation(
                "sessions", to: "sessions", .toMany(column: "formateur_id"), label: "Sessions",
                summary: "Les sessions qu’il anime.")
        ],
        title: "nom_complet",
        search: .crm(["prenom", "nom", "specialite", "societe"]),
        defaultOrder: [OrderTerm("nom"), OrderTerm("prenom")],
        access: access(to: "formateurs"),
        successor: .merged("formateurs"),
        personal: [
            "prenom": "Formateur", "nom": "effacé", "email": nil, "telephone": nil, "societe": nil, "siret": nil,
            "nda": nil, "rue": nil, "code_postal": nil, "ville": nil,
        ])
}
