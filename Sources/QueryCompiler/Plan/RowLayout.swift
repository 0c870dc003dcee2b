/// How one row of a result becomes a JSON object, without decoding a value: what to write between the columns'
/// texts, and how to write each.
package struct RowLayout: Sendable, Equatable {
    package indirect enum Part: Sendable, Equatable {
        /// JSON text as it stands.
        case bytes([UInt8])
        /// The column's text as it stands: a number, a boolean, JSON. SQL null is `null`, as it is for all columns.
        case bare(Int)
        /// The column's text between quotes; nothing in it needs escaping.
        case quoted(Int)
        /// The column's text as a JSON string.
        case escaped(Int)
        /// A related record, braces included; `null` when the column `presence` is null.
        case object(presence: Int, [Part])
    }

    /// The whole object, braces included.
    package let parts: [Part]
}
