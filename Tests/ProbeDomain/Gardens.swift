import DomainKit
import JSON

extension Probe {
    /// The garden of the installation: one record at most, which the first plot makes, or `gardens.open`.
    static let gardens = Entity(
        name: "gardens",
        noun: Noun("jardin", plural: "jardins", feminine: false),
        columns: [
            .id, Column("name", .text(maxLength: 100), nullable: false, default: "Notre jardin", label: "Nom"),
        ] + Column.bookkeeping,
        derived: [.count("plot_count", of: "plots", label: "Parcelles")],
        relations: [Relation("plots", to: "plots", .toMany(column: "garden_id"), label: "Parcelles")],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: Access(read: everyRole, create: [], update: [.coordinator], delete: []), isSingle: true)

    static let openGarden = Command(
        name: "gardens.open", label: "Ouvrir le jardin", summary: "Le jardin, créé au premier appel.",
        parameters: [], function: "probe.gardens_open", answers: .record(of: "gardens"), roles: everyRole)
}
