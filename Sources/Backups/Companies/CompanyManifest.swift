package import Migrations

/// What the file of a company says about itself, beside the rows of its tables.
package struct CompanyManifest: Sendable, Equatable, Codable {
    package struct Company: Sendable, Equatable, Codable {
        /// In the installation that it comes from.
        package let id: Int64
        package let name: String
    }

    /// The rows of a table, as COPY writes them in its text format.
    package struct Table: Sendable, Equatable, Codable {
        /// With its schema, as SQL has it.
        package let name: String
        package let columns: [String]
        package let rows: Int
        /// Where the bytes of the rows begin in the file, and their number.
        let position: Int
        let length: Int
    }

    /// When the snapshot was taken, in UTC as Postgres writes an instant.
    package let takenAt: String
    /// The version of the program that made it.
    package let program: String
    package let company: Company
    /// Whether it has what people and devices sign in with.
    package let hasAccounts: Bool
    /// The version of the schema: the migrations that were applied.
    package let migrations: [AppliedMigration]
    /// Those that others refer to come first.
    package let tables: [Table]

    /// The number of rows of all tables.
    package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}
