public import DomainKit
import JSON

/// What a domain may declare and no screen is drawn for: sixty columns, a single one, a long text, two hundred words of a choice, a
/// relation to the own table, and a role that reads two columns. Stories look at the screens that are made of it.
public enum Odd {
    public static let domain = Domain(
        name: "odd", label: "Curiosités", roles: [.admin, .guest], entities: [sheets, marks, topics, topicNames])

    private static let writers = Access(read: [.admin], create: [.admin], update: [.admin], delete: [.admin])

    /// Sixty columns, of each type in turn.
    private static let sheets = Entity(
        name: "sheets", noun: Noun("relevé", plural: "relevés", feminine: false),
        columns: [.id, Column("title", .text(maxLength: 100), nullable: false, label: "Titre")]
            + (1...55).map { number in
                Column("field_\(number)", types[number % types.count], label: "Champ \(number)")
            } + Column.bookkeeping,
        search: nil, defaultOrder: [OrderTerm("title")], access: writers)

    private static let types: [FieldType] = [
        .text(maxLength: 40), .integer, .decimal(precision: 9, scale: 3), .boolean, .date, .time, .timestamp,
    ]

    /// One column. Without a version its records are not changed.
    private static let marks = Entity(
        name: "marks", noun: Noun("marque", plural: "marques", feminine: true),
        columns: [.id, Column("word", .text(maxLength: 30), nullable: false, access: .createOnly, label: "Mot")],
        search: nil, defaultOrder: [OrderTerm("word")],
        access: Access(read: [.admin], create: [.admin], update: [], delete: [.admin]))

    private static let topics = Entity(
        name: "topics", noun: Noun("sujet", plural: "sujets", feminine: false),
        columns: [
            .id, Column("name", .text(maxLength: 100), nullable: false, label: "Nom"),
            Column("parent_id", .bigint, label: "Sujet parent"),
            Column("body", .text(maxLength: 5_000), label: "Texte"),
            Column("shade", .choice(shades), nullable: false, default: "shade_1", label: "Nuance"),
            Column("weights", .json(.list(of: .integer, count: 0...20)), label: "Poids"),
            Column("place", .json(.object([Column("room", .text(maxLength: 40), label: "Pièce")])), label: "Endroit"),
            Column("step", .integer, nullable: false, default: 1, oneOf: [1, 2, 3], label: "Étape"),
        ] + Column.bookkeeping,
        relations: [
            Relation("parent", to: "topics", .toOne(column: "parent_id"), label: "Sujet parent"),
            Relation("children", to: "topics", .toMany(column: "parent_id"), label: "Sujets enfants"),
        ],
        search: nil, defaultOrder: [OrderTerm("name")], access: writers)

    private static let shades = Choices((1...200).map { (word: "shade_\($0)", label: "Nuance n° \($0)") })

    /// What guests read of the topics.
    private static let topicNames = Entity(
        name: "topic_names", source: .function("topic_names", []),
        noun: Noun("titre", plural: "titres", feminine: false),
        columns: [
            .id, Column("name", .text(maxLength: 100), nullable: false, label: "Nom"),
            Column("shade", .choice(shades), nullable: false, label: "Nuance"),
        ],
        search: nil, defaultOrder: [OrderTerm("name")],
        access: Access(read: [.admin, .guest], create: [], update: [], delete: []))
}

extension Role {
    static let guest = Role("odd_guest", label: "Invité")
}
