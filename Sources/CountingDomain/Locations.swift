import DomainKit
import Glibc
import JSON

extension Counting {
    /// Where people are counted. Its settings say when its days begin and how many people it takes.
    static let locations = Entity(
        name: "locations",
        noun: Noun("lieu", plural: "lieux", feminine: false),
        columns: [
            .id,
            Column("name", .text(maxLength: 200), nullable: false, label: "Nom"),
            Column(
                "max_capacity", .integer, nullable: false, minimum: 1, maximum: 1_000_000, label: "Capacité",
                summary: "Nombre de personnes admises en même temps."),
            Column(
                "timezone", .text(maxLength: nil), nullable: false, format: .timeZone, label: "Fuseau horaire",
                summary: "Fuseau horaire, sous son nom IANA."),
            Column(
                "operational_boundary_hour", .smallint(0...23), nullable: false, default: 12,
                label: "Heure de bascule du jour",
                summary: "Heure locale à laquelle commence la journée d’exploitation."),
            Column(
                "stale_after_seconds", .integer, nullable: false, default: 300, minimum: 1,
                label: "Silence d’un appareil, en secondes",
                summary: "Silence au bout duquel un appareil passe pour muet, en secondes."),
            Column(
                "gateway_lease_seconds", .integer, nullable: false, default: 60, minimum: 1,
                label: "Silence d’une passerelle, en secondes",
                summary: "Silence au bout duquel une passerelle perd le lieu, en secondes."),
        ] + Column.bookkeeping,
        derived: [
            DerivedField(
                "operational_day", .date, nullable: false, label: "Journée d’exploitation",
                summary: "Journée d’exploitation en cours."),
            DerivedField(
                "day_started_at", .timestamp, nullable: false, label: "Début de la journée",
                summary: "Début de la journée en cours."),
            DerivedField(
                "day_ends_at", .timestamp, nullable: false, label: "Fin de la journée",
                summary: "Fin de la journée en cours."),
            DerivedField(
                "days_to_fold", .bigint, nullable: false, label: "Journées à refaire",
                summary:
                    "Journées passées dont les figures sont encore à refaire après un changement de fuseau ou d’heure"
                    + "\u{202F}; d’ici là, elles sont justes mais plus lentes à lire."),
        ],
        relations: [
            // The state of a location has the location’s id.
            Relation(
                "state", to: "counter_states", .toOne(column: "id"), label: "État du compteur",
                summary: "L’état de son compteur."),
            Relation(
                "devices", to: "devices", .toMany(column: "location_id"), label: "Appareils", summary: "Ses appareils."),
            Relation(
                "entries", to: "entries", .toMany(column: "location_id"), label: "Passages", summary: "Ses passages."),
            Relation(
                "snapshots", to: "counter_snapshots", .toMany(column: "location_id"), label: "Clôtures",
                summary: "Ses clôtures."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("name")],
        rules: [
            Rule(
                constraint: "locations_timezone_check", columns: ["timezone"], message: Messages.timeZone, holds: nil)
        ],
        access: Access(read: readers, create: [.admin], update: [.admin], delete: [.admin]))
}

extension Relation {
    static let location = Relation(
        "location", to: "locations", .toOne(column: "location_id"), label: "Lieu", summary: "Le lieu.")
    /// The same of what is deleted with its location.
    static let ownLocation = Relation(
        "location", to: "locations", .toOne(column: "location_id"), isPart: true, label: "Lieu", summary: "Le lieu.")
}

extension Format {
    /// The name of a time zone. Which names there are, Postgres knows; the server knows those of its own machine.
    static let timeZone = Format(
        name: "time_zone", message: Counting.Messages.timeZone,
        pattern: "^[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*$", example: "Europe/Paris",
        isKnown: { name in
            let zones = "/usr/share/zoneinfo"
            return access("\(zones)/\(name)", F_OK) == 0 || access(zones, F_OK) != 0
        }
    ) { text in
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}
