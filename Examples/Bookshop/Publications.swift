import DomainKit
import JSON

extension Bookshop {
    /// `publications.list {since, until}`: the authors who published in a period.
    static let publications = Entity(
        name: "publications",
        source: .function(
            "publications",
            [
                Column("since", .date, nullable: false, label: "Premier jour"),
                Column(
                    "until", .date, label: "Dernier jour", summary: "Dernier jour\u{202F}; aujourd’hui s’il manque."),
            ]),
        noun: Noun("publication", plural: "publications", feminine: true),
        columns: [
            .id,
            Column("author_id", .bigint, nullable: false, label: "Auteur"),
            Column("books", .bigint, nullable: false, label: "Livres parus", summary: "Nombre de livres parus."),
            Column(
                "first_published", .date, nullable: false, label: "Première parution",
                summary: "Date de parution du premier."),
        ],
        relations: [
            Relation(
                "author", to: "authors", .toOne(column: "author_id"), label: "Auteur", summary: "Qui les a écrits.")
        ],
        search: nil,
        defaultOrder: [OrderTerm("books", descending: true)],
        rules: [.untilNotBeforeSince],
        access: Access(read: [.user, .admin], create: [], update: [], delete: []))
}

extension Rule {
    static let untilNotBeforeSince = Rule(
        constraint: "publications_until_not_before_since", columns: ["since", "until"],
        message: "Donnez un dernier jour qui ne précède pas le premier.", ascending: true
    ) { values in
        guard let since = values["since"]?.text.flatMap({ CalendarDate($0) }),
            let until = values["until"]?.text.flatMap({ CalendarDate($0) })
        else { return true }
        return since <= until
    }
}
