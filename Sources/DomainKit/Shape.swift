/// What JSON consists of: the type of a column, a parameter or a result that is a list or an object.
///
/// The server checks what a call gives, part by part, and reports every problem with its place
/// (`/values/contents/2/quantity`). The documentation and the TypeScript client describe the parts.
///
/// ```swift
/// // 1 to 50 lines such as {"book": "978…", "quantity": 2}
/// Shape.list(
///     of: .object([
///         Column("book", .text(maxLength: 13), nullable: false, format: .isbn, summary: "Livre."),
///         Column("quantity", .integer, nullable: false, default: 1, minimum: 1, summary: "Combien."),
///     ]), count: 1...50)
/// ```
public indirect enum Shape: Sendable, Equatable {
    /// An object with these members and no others.
    ///
    /// A member that is nullable may be missing, too. One with a ``Column/defaultValue`` that is missing or null has
    /// that value.
    case object([Column])
    /// An object with any members.
    case anyObject
    /// An object of one of several kinds, each with members of its own.
    case kinds(ObjectKinds)
    /// A list of this many elements. `unique`: the members of which no two elements have the same value; null is no value.
    case list(of: Shape, count: ClosedRange<Int>, unique: [String] = [])
    /// A value of a column's type, within its bounds. The column's name has no meaning.
    case scalar(Column)
}

extension Shape {
    /// A list of values of a column type.
    ///
    /// ```swift
    /// Shape.list(of: .integer, minimum: 1, count: 0...10)
    /// ```
    public static func list(
        of type: FieldType, format: Format? = nil, minimum: Int? = nil, maximum: Int? = nil,
        oneOf allowedNumbers: [Int]? = nil, count: ClosedRange<Int>
    ) -> Shape {
        let element = Column(
            "", type, nullable: false, format: format, minimum: minimum, maximum: maximum, oneOf: allowedNumbers,
            summary: "")
        return .list(of: .scalar(element), count: count)
    }
}
