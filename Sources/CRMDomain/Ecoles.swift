import DomainKit
import JSON

extension CRM {
    static let ecoles = Entity(
        name: "ecoles",
        noun: Noun("école", plural: "écoles", feminine: true),
        columns: [
            .id,
            .requiredText("nom", maxLength: 255, label: "Nom", summary: "Nom de l’établissement."),
        ] + Column.address + Column.contact + Column.bookkeeping,
        derived: [.initials, .phoneLink, .addressLine, .sessionCount],
        relations: [
            Relation(
                "sessions", to: "sessions", .toMany(column: "ecole_id"), label: "Sessions", summary: "Ses sessions.")
        ],
        search: .crm(["nom", "ville", "nom_contact"]),
        defaultOrder: [OrderTerm("nom")],
        access: access(to: "ecoles"),
        successor: .merged("ecoles"),
        // The school stays; its contact goes.
        personal: ["nom_contact": nil, "email": nil, "telephone": nil])
}
