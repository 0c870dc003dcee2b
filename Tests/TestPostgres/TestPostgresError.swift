/// Why a test has no database; says what was tried and what came back.
package struct TestPostgresError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
