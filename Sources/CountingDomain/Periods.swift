import DomainKit
import JSON

// The parameters of the views: a location, and the interval that is looked at.

extension Column {
    /// An interval of a location: a named one, or one with bounds of its own.
    static let period = [
        Column("location_id", .bigint, nullable: false, label: "Lieu"),
        Column(
            "range", .choice(["today": "Aujourd’hui", "last_7": "7 jours", "last_30": "30 jours", "year": "Année"]),
            nullable: false, default: "today", label: "Période",
            summary: "Journée en cours, 7 ou 30 dernières journées avec elle, ou année en cours depuis le 1er janvier."),
        Column("from", .timestamp, label: "Début", summary: "Début\u{202F}; celui que dit range s’il manque."),
        Column("to", .timestamp, label: "Fin", summary: "Fin, exclue\u{202F}; maintenant au plus, et s’il manque."),
    ]

    static let granularity = Column(
        "granularity", .choice(granularities), label: "Granularité",
        summary: "Pas des courbes\u{202F}; s’il manque, il suit la longueur de la période.")

    static let granularities: Choices = ["hour": "Heure", "day": "Jour", "month": "Mois"]
}
