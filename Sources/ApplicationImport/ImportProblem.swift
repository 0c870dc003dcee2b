import JSON

/// A reason not to import a row.
package struct ImportProblem: Sendable, Equatable {
    /// Without its schema.
    package let table: String
    /// The id of the row as the source has it; `?` if it has none.
    package let row: String
    /// Nil if the problem concerns the row as a whole.
    package let column: String?
    let reason: Reason

    enum Reason: Sendable, Equatable {
        /// The id is missing or not a positive integer that every client of JSON can read.
        case invalidID
        /// An earlier row of the source has the same id.
        case duplicateID
        /// A record of the database has the same id and was not imported.
        case existingID
        /// A rule of the domain rejects a value, with its code and its French message.
        case invalidValue(code: String, message: String)
        /// The row refers to one that is neither imported nor in the database.
        case missingReference(table: String, id: Int64)
        /// Another account has the same value.
        case valueOfAccount(Int64)
    }

    /// The violated rule: a code of the domain's problems, `type`, `unique` or `reference`.
    package var rule: String {
        switch reason {
        case .invalidID: "type"
        case .duplicateID, .existingID, .valueOfAccount: "unique"
        case .invalidValue(let code, _): code
        case .missingReference: "reference"
        }
    }
}

/// Why a source cannot be read or imported at all.
package struct ApplicationImportError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
