/// Why a text is not a JSON document this server reads.
package enum JSONError: Error, Sendable, Hashable {
    /// Not RFC 8259; `offset` counts the bytes that were read before it showed.
    case syntax(offset: Int)
    /// Arrays and objects nested deeper than allowed; `offset` is that of the bracket that was one too many.
    case depth(offset: Int)
}
