import DomainKit
import JSON

extension Bookshop {
    /// The shop itself and its rules: one record at most.
    static let settings = Entity(
        name: "settings",
        noun: Noun("boutique", plural: "boutiques", feminine: true),
        columns: [
            .id,
            Column("shop_name", .text(maxLength: 100), nullable: false, default: "Notre librairie", label: "Nom"),
            Column(
                "loan_days", .integer, nullable: false, default: 21, minimum: 1, maximum: 365, label: "Durée d’un prêt",
                summary: "Durée d’un prêt, en jours."),
        ] + Column.bookkeeping,
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: Access(read: [.user, .admin, .reader], create: [], update: [.admin], delete: []), isSingle: true)

    static let openSettings = Command(
        name: "settings.open", label: "Ouvrir la boutique", summary: "La fiche de la boutique, créée au premier appel.",
        parameters: [], function: "bookshop.settings_open", answers: .record(of: "settings"), roles: [.admin])
}
