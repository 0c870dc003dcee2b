package import Migrations

/// What a backup says about itself, beside the archive of pg_dump.
package struct BackupManifest: Sendable, Equatable, Codable {
    /// When the snapshot was taken, in UTC as Postgres writes an instant.
    package let takenAt: String
    /// The version of the program that made it.
    package let program: String
    /// The major version of the database server.
    package let postgres: Int
    /// Whether it has the bytes of files.
    package let hasFiles: Bool
    /// The version of the schema: the migrations that were applied.
    package let migrations: [AppliedMigration]
    /// The database roles beside the login: they belong to the server, and pg_dump leaves them out.
    let roles: [String]
    /// What belongs to one of them. All else belongs to the login that restores.
    let owned: [Owned]

    /// An object of the database that belongs to a role.
    struct Owned: Sendable, Equatable, Codable {
        /// As `pg_identify_object` names it, such as `function`.
        let type: String
        let identity: String
        let schema: String
        let owner: String
    }
}
