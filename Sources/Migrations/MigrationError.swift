/// Why the schema could not be brought up to date, in one line that says what to look at.
package struct MigrationError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }
}
