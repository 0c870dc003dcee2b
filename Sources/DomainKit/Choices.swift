/// The words of a ``FieldType/choice(_:)`` in their order, each with what people read in its place.
///
/// ```swift
/// .choice(["new": "Neuf", "used": "D’occasion"])
/// ```
public struct Choices: Sendable, Equatable {
    /// One word and what people read in its place.
    private struct Choice: Sendable, Equatable {
        let word: String
        let label: String?
    }

    private let choices: [Choice]

    /// Words that people read as they are written.
    ///
    /// A domain that is served gives each word a label.
    public init(_ words: some Sequence<String>) {
        choices = words.map { Choice(word: $0, label: nil) }
    }

    /// Words with their labels: the values of an enumeration, for example.
    public init(_ labelled: some Sequence<(word: String, label: String)>) {
        choices = labelled.map { Choice(word: $0.word, label: $0.label) }
    }

    /// The words in their order, as Postgres and the wire have them.
    public var words: [String] { choices.map(\.word) }

    /// Those of the choices that are among `words`.
    public func limited(to words: [String]) -> Choices { Choices(choices.filter { words.contains($0.word) }) }

    private init(_ choices: [Choice]) { self.choices = choices }

    /// What people read in the place of the word: French, with a capital letter. Nil for a word without a label.
    public func label(of word: String) -> String? { choices.first { $0.word == word }?.label }
}

extension Choices: ExpressibleByDictionaryLiteral {
    /// Words with their labels, in the order in which they are written.
    public init(dictionaryLiteral choices: (String, String)...) {
        self.init(choices.map { (word: $0.0, label: $0.1) })
    }
}

extension Choices: ExpressibleByArrayLiteral {
    /// Words without labels.
    public init(arrayLiteral words: String...) { self.init(words) }
}
