import TextEncodings

/// What a migration says about itself in the comment that it begins with:
///
/// ```sql
/// -- The shelf of each book.
/// --
/// -- Safe from: 1.2.0
/// -- Locks: books against everything, for a moment
/// -- Before: DROP INDEX CONCURRENTLY IF EXISTS books_shelf_idx
/// -- Before: CREATE INDEX CONCURRENTLY books_shelf_idx ON books (shelf)
/// ```
package struct MigrationHeader: Sendable, Equatable {
    /// The oldest version of the server that may serve a schema with the migration; nil when the file does not say.
    package let safeFrom: ReleaseVersion?
    /// What the migration locks, against what and for how long; nil when the file does not say.
    package let locks: String?
    /// The statements that the migrator runs before the file, each on its own and outside a transaction: indexes of large tables are
    /// built so, while calls read and write. They run again when the file has failed after them. psql does not run them: the file does
    /// what they have not done.
    package let before: [String]

    package init(of sql: String) {
        var rest = sql[...]
        var comment: [Substring] = []
        while rest.hasPrefix("--") {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            comment.append(rest[..<end])
            rest = rest[end...].dropFirst()
        }
        func values(of name: String) -> [String] {
            comment.filter { $0.hasPrefix("-- \(name): ") }.map {
                String($0.dropFirst("-- \(name): ".count)).trimmingWhitespace
            }
        }
        safeFrom = values(of: "Safe from").first.flatMap { ReleaseVersion($0) }
        locks = values(of: "Locks").first.flatMap { $0.isEmpty ? nil : $0 }
        before = values(of: "Before")
    }
}
