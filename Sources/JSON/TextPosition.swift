/// A place in a text. Lines and columns count from 1, columns in Unicode scalars.
public struct TextPosition: Sendable, Hashable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
