import DomainKit
import JSON

extension Probe {
    /// Times at which one gardener has the greenhouse: a range that excludes others.
    static let greenhouseBookings = Entity(
        name: "greenhouse_bookings",
        noun: Noun("réservation", plural: "réservations", feminine: true),
        columns: [
            .id,
            Column("gardener_id", .bigint, nullable: false, access: .readOnly, label: "Jardinier", summary: "Qui."),
            Column("starts_at", .timestamp, nullable: false, access: .readOnly, label: "Début"),
            Column("ends_at", .timestamp, nullable: false, access: .readOnly, label: "Fin"),
        ] + Column.bookkeeping,
        relations: [ownerRelation],
        search: nil,
        defaultOrder: [OrderTerm("starts_at")],
        rules: [
            Rule(
                constraint: "greenhouse_bookings_overlap", columns: ["starts_at", "ends_at"],
                message: "La serre est réservée à ce moment.",
                effect: .conflict(
                    reason: "overlap",
                    facts: [
                        Column("starts_at", .timestamp, nullable: false, summary: "Début de l’autre réservation."),
                        Column("ends_at", .timestamp, nullable: false, summary: "Fin de l’autre réservation."),
                    ]),
                holds: nil),
            Rule(
                constraint: "greenhouse_bookings_ends_after_starts", columns: ["starts_at", "ends_at"],
                message: "Donnez une fin après le début.", ascending: true, holds: nil),
        ],
        // A gardener learns when the greenhouse is taken, and not by whom.
        disclosingConstraints: ["greenhouse_bookings_overlap"],
        access: Access(read: everyOrOwn, create: [], update: [], delete: everyOrOwn))

    /// `greenhouse_bookings.book`: 409 with the times of the other booking, 403 for a gardener who is suspended.
    static let bookGreenhouse = Command(
        name: "greenhouse_bookings.book", label: "Réserver la serre",
        summary: "Réserve la serre.",
        parameters: [
            Column("starts_at", .timestamp, nullable: false, label: "Début"),
            Column("ends_at", .timestamp, nullable: false, label: "Fin"),
        ],
        function: "probe.book_greenhouse", answers: .record(of: "greenhouse_bookings"),
        roles: [.gardener],
        rules: [
            Rule(
                constraint: "gardeners_suspended", columns: [],
                message: "Vous ne pouvez pas réserver la serre en ce moment.", effect: .forbidden, holds: nil)
        ])

    static let seasons = Entity(
        name: "seasons",
        noun: Noun("saison", plural: "saisons", feminine: true),
        columns: [
            .id, Column("year", .integer, nullable: false, access: .readOnly, label: "Année"),
            Column("motto", .text(maxLength: 100), label: "Devise"),
            Column("poster", .bigint, file: FileRule([.png, .pdf], maxBytes: 10_000), label: "Affiche"),
        ] + Column.bookkeeping,
        search: nil,
        defaultOrder: [OrderTerm("year", descending: true)],
        access: Access(read: everyRole, create: [], update: [.coordinator], delete: []))

    /// `seasons.current`: the only record of this year, which the first call creates.
    static let currentSeason = Command(
        name: "seasons.current", label: "Ouvrir la saison", summary: "La saison de cette année.", parameters: [],
        function: "probe.current_season", answers: .record(of: "seasons"), roles: everyRole)
}
