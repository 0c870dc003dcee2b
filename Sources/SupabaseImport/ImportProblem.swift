/// One thing that keeps a row from being imported.
package struct ImportProblem: Sendable, Equatable {
    /// Without its schema.
    package let table: String
    /// The row's id as the source has it; `?` where it has none.
    package let row: String
    /// Nil where it concerns the row as a whole.
    package let column: String?
    /// Which rule: the codes that the service has for values, and `unique`, `reference`.
    package let rule: String
    /// A French sentence that names the remedy.
    package let remedy: String
}
