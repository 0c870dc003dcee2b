import TextEncodings

/// What a migration says about itself in the comment that it begins with:
///
/// ```sql
/// -- The shelf of each book.
/// --
/// -- Safe from: 1.2.0
/// -- Locks: books against everything, for a moment
/// ```
package struct MigrationHeader: Sendable, Equatable {
    /// The oldest version of the server that may serve a schema with the migration; nil when the file does not say.
    package let safeFrom: ReleaseVersion?
    /// What the migration locks, against what and for how long; nil when the file does not say.
    package let locks: String?

    package init(of sql: String) {
        let comment = sql.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("--") }
        func value(of name: String) -> String? {
            comment.first { $0.hasPrefix("-- \(name): ") }.map {
                String($0.dropFirst("-- \(name): ".count)).trimmingWhitespace
            }
        }
        safeFrom = value(of: "Safe from").flatMap { ReleaseVersion($0) }
        locks = value(of: "Locks").flatMap { $0.isEmpty ? nil : $0 }
    }
}
