import DomainKit
import JSON

extension Bookshop {
    /// What the shop says of itself: one record at most.
    static let settings = Entity(
        name: "settings",
        noun: Noun("réglage", plural: "réglages", feminine: false),
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
        name: "settings.open", label: "Ouvrir les réglages", summary: "Les réglages, créés au premier appel.",
        parameters: [], function: "bookshop.settings_open", answers: .record(of: "settings"), roles: [.admin])
}
