import DomainKit
import JSON

extension CRM {
    static let clients = Entity(
        name: "clients",
        noun: Noun("client", plural: "clients", feminine: false),
        columns: [
            .id,
            .requiredText("raison_sociale", maxLength: 255, label: "Raison sociale", summary: "Nom de l’entreprise."),
        ] + Column.address + Column.contact + [
            .siret, .vatNumber,
        ] + Column.bookkeeping,
        derived: [
            .initials, .phoneLink, .addressLine, .sessionCount,
            DerivedField(
                "ca_total", .decimal(precision: 20, scale: 2), nullable: false, label: "Chiffre d’affaires total",
                summary: "Somme des tarifs client de ses sessions, en euros\u{202F}; 0 sans session."),
        ],
        relations: [
            Relation(
                "sessions", to: "sessions", .toMany(column: "client_id"), label: "Sessions", summary: "Ses sessions.")
        ],
        search: .crm(["raison_sociale", "ville", "nom_contact"]),
        defaultOrder: [OrderTerm("raison_sociale")],
        access: access(to: "clients"),
        successor: .merged("clients"),
        // The name of a company may be that of a person.
        personal: [
            "raison_sociale": "Client effacé", "rue": nil, "code_postal": nil, "ville": nil, "nom_contact": nil,
            "email": nil, "telephone": nil, "siret": nil, "numero_tva": nil,
        ])
}
