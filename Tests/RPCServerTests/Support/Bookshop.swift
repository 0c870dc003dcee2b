import Accounts
import Auth
import Documents
import DomainKit
import JSON
import PostgresDriver
import QueryCompiler

@testable import RPCServer

/// A small domain with a column of every kind, and the service of it. Nothing connects to a database.
enum Bookshop {
    private static let access = Access(read: [.user, .admin], create: [.admin], update: [.admin], delete: [.admin])
    private static let search = Search(function: "words")
    private static let id = Column("id", .bigint, nullable: false, access: .readOnly, summary: "Identifiant.")
    private static let version = Column("version", .integer, nullable: false, access: .readOnly, summary: "Version.")

    static let books = Entity(
        name: "books", noun: Noun("livre", plural: "livres", feminine: false),
        columns: [
            id,
            Column("title", .text(maxLength: 20), nullable: false, summary: "Titre."),
            Column("isbn", .text(maxLength: 13), format: isbn, summary: "ISBN."),
            Column("kind", .choice(["novel", "essay"]), nullable: false, summary: "Genre."),
            Column("price", .decimal(precision: 6, scale: 2), minimum: 0, summary: "Prix."),
            Column("weight", .decimal(precision: 6, scale: 2), summary: "Poids."),
            Column("copies", .smallint(0...9), nullable: false, hasDefault: true, summary: "Exemplaires."),
            Column("printed", .date, summary: "Impression."),
            Column("opens", .time, summary: "Ouverture."),
            Column("lent", .boolean, nullable: false, hasDefault: true, summary: "Prêté."),
            Column("lent_at", .timestamp, summary: "Quand."),
            Column("code", .uuid, summary: "Code."),
            Column("author_id", .bigint, summary: "Auteur."),
            version,
        ],
        derived: [DerivedField("age", .integer, summary: "Âge.")],
        relations: [Relation("author", to: "authors", .toOne(column: "author_id"), summary: "Qui l'a écrit.")],
        search: search, defaultOrder: [OrderTerm("title")], access: access, isDuplicable: true)

    static let authors = Entity(
        name: "authors", noun: Noun("auteur", plural: "auteurs", feminine: false),
        columns: [id, Column("name", .text(maxLength: nil), nullable: false, summary: "Nom."), version],
        relations: [Relation("books", to: "books", .toMany(column: "author_id"), summary: "Ses livres.")],
        search: search, defaultOrder: [OrderTerm("name")], access: access)

    static let users = Entity(
        name: "users", noun: Noun("compte", plural: "comptes", feminine: false),
        columns: [
            id, Column("username", .text(maxLength: 100), summary: "Nom."),
            Column("email", .text(maxLength: 255), nullable: false, summary: "Adresse."), version,
        ],
        search: search, defaultOrder: [OrderTerm("email")], access: access)

    static let journal = Entity(
        name: "journal", noun: Noun("entrée", plural: "entrées", feminine: true),
        columns: [
            id, Column("table_name", .text(maxLength: nil), nullable: false, access: .readOnly, summary: "Table."),
            Column("row_id", .bigint, access: .readOnly, summary: "Fiche."),
            Column("after", .json(.anyObject), access: .readOnly, summary: "Valeurs."),
        ],
        search: nil, defaultOrder: [OrderTerm("id", descending: true)],
        access: Access(read: [.admin], create: [], update: [], delete: []))

    private static let isbn = Format(
        name: "isbn", message: "Donnez un ISBN.", pattern: "^[0-9]{13}$", example: "9782070368228"
    ) { $0.utf8.count == 13 && $0.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }

    static let domain = Domain(
        name: "bookshop", schema: "public", entities: [books, authors, users, journal],
        methods: [
            LoadedMethod(
                name: "cite", entity: "books", summary: "Une référence.",
                parameters: [
                    Column(
                        "style", .choice(["short", "long"]), nullable: false, default: "short", summary: "Laquelle.")
                ],
                selection: "{ title }"
            ) { record, _ in record }
        ])

    /// - Parameter further: domains to serve beside this one.
    static func kernel(_ further: Domain...) async throws -> Kernel { try await kernel(further) }

    /// - Parameter further: domains to serve beside this one.
    static func service(_ further: Domain...) async throws -> RPCService {
        let kernel = try await kernel(further)
        return try RPCService(
            kernel, version: "1.0.0",
            [Documents(kernel).capability(opening: []), AccountMethods(kernel, accounts: "users").capability])
    }

    private static func kernel(_ further: [Domain]) async throws -> Kernel {
        let client = PostgresClient(PostgresClient.Configuration(connectionString: ""))
        let identity = try AuthService(
            database: client, secrets: [SigningSecret(String(repeating: "-", count: 32))], issuer: "bookshop",
            roles: ["user", "admin"])
        return try Kernel(
            title: "Bookshop", domains: [domain, Workshop.domain] + further, journal: "journal", identity: identity,
            databases: Databases(roles: [.user: client, .admin: client], accounts: client))
    }
}
