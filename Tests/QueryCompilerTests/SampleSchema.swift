import DomainKit
import JSON
import QueryCompiler

/// A small domain with fields of every type and relations of every kind.
enum Sample {
    static let sessions = Entity(
        name: "sessions", noun: Noun("session", plural: "sessions", feminine: true),
        columns: [
            id,
            Column("module", .text(maxLength: 500), nullable: false, summary: ""),
            Column("date", .date, nullable: false, summary: ""),
            Column("debut", .time, nullable: false, summary: ""),
            Column("modalite", .choice(["P", "D"]), nullable: false, summary: ""),
            Column("lieu", .text(maxLength: nil), summary: ""),
            Column("tarif", .decimal(precision: 10, scale: 2), summary: ""),
            Column("formateur_id", .bigint, summary: ""),
            Column("client_id", .bigint, nullable: false, summary: ""),
            Column("created_at", .timestamp, nullable: false, hasDefault: true, access: .readOnly, summary: ""),
            Column("version", .integer, nullable: false, hasDefault: true, access: .readOnly, summary: ""),
        ],
        derived: [
            DerivedField("marge", .decimal(precision: 12, scale: 2), summary: ""),
            DerivedField(
                "statut", .choice(["a_venir", "terminee"]), nullable: false, prefilter: "statut_possible", summary: ""),
        ],
        relations: [
            Relation("formateur", to: "formateurs", .toOne(column: "formateur_id"), summary: ""),
            Relation("client", to: "clients", .toOne(column: "client_id"), summary: ""),
        ],
        search: Search(function: "searchable", columns: ["module", "lieu"]),
        defaultOrder: [OrderTerm("date", descending: true), OrderTerm("debut")],
        access: access, isDuplicable: true)

    static let formateurs = Entity(
        name: "formateurs", noun: Noun("formateur", plural: "formateurs", feminine: false),
        columns: [
            id,
            Column("prenom", .text(maxLength: 100), nullable: false, summary: ""),
            Column("nom", .text(maxLength: 100), nullable: false, summary: ""),
            Column("exterieur", .smallint(0...1), nullable: false, hasDefault: true, summary: ""),
            Column("is_active", .boolean, nullable: false, hasDefault: true, summary: ""),
            Column("badge", .uuid, summary: ""),
        ],
        derived: [
            DerivedField("nom_complet", .text(maxLength: nil), nullable: false, summary: ""),
            DerivedField("nombre_sessions", .bigint, nullable: false, summary: ""),
        ],
        relations: [Relation("sessions", to: "sessions", .toMany(column: "formateur_id"), summary: "")],
        search: Search(function: "searchable"),
        defaultOrder: [OrderTerm("nom"), OrderTerm("prenom")], access: access)

    static let clients = Entity(
        name: "clients", noun: Noun("client", plural: "clients", feminine: false),
        columns: [
            id,
            Column("raison_sociale", .text(maxLength: 255), nullable: false, summary: ""),
            Column("ville", .text(maxLength: 100), summary: ""),
        ],
        derived: [
            .count("nombre_sessions", of: "sessions"),
            .count("a_distance", of: "sessions", where: ["modalite": "D", "lieu": ["L’O'rigan", .null]]),
            .sum(
                "chiffre", .decimal(precision: 12, scale: 2), of: "sessions", column: "tarif",
                unless: ["formateur_id": .null, "client_id": [1, 2]]),
            .greatest("derniere", .date, of: "sessions", column: "date"),
        ],
        relations: [Relation("sessions", to: "sessions", .toMany(column: "client_id"), summary: "")],
        search: Search(function: "searchable"),
        defaultOrder: [OrderTerm("raison_sociale")], access: access)

    static let domain = Domain(name: "sample", schema: "public", entities: [sessions, formateurs, clients])

    static func planner(_ limits: CallLimits = CallLimits()) -> Planner {
        Planner(domains: [domain], sortCollation: "francais", limits: limits)
    }

    private static let id = Column(
        "id", .bigint, nullable: false, hasDefault: true, access: .readOnly, summary: "")
    private static let access = Access(read: [.user], create: [.user], update: [.user], delete: [.admin])
}

/// The problems that `call` throws; empty when it throws none.
func problems(_ call: () throws(PlanError) -> Void) -> [Problem] {
    do throws(PlanError) {
        try call()
        return []
    } catch {
        if case .problems(let problems) = error { return problems }
        return []
    }
}

/// The exceeded limit that `call` throws; nil when it throws none.
func limit(_ call: () throws(PlanError) -> Void) -> QueryLimitError? {
    do throws(PlanError) {
        try call()
        return nil
    } catch {
        if case .limit(let limit) = error { return limit }
        return nil
    }
}
