/// What a JSON text says.
package struct JSONDocument: Sendable, Hashable {
    package let value: JSONValue
    /// Where a name stands a second time in one object, as JSON Pointers from the root of the text, in the order of
    /// the text. `value` keeps the first of the two members.
    package let duplicates: [String]

    package init(value: JSONValue, duplicates: [String] = []) {
        self.value = value
        self.duplicates = duplicates
    }
}
