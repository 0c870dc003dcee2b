/// The kinds of an object: a member of it names the kind, and each kind has members of its own beside those that all have.
///
/// ```swift
/// // {"id": "3f2b…", "type": "photo", "text": "Avant", "photo": 12}
/// Shape.kinds(
///     ObjectKinds(
///         by: "type", label: "Nature", common: [Column("id", .uuid, nullable: false, label: "Identifiant")],
///         [
///             .init("text", label: "Texte", [Column("text", .text(maxLength: 5000), nullable: false, label: "Texte")]),
///             .init(
///                 "photo", label: "Photo",
///                 [
///                     Column("photo", .bigint, nullable: false, of: "photos", label: "Photo"),
///                     Column("text", .text(maxLength: 5000), label: "Légende"),
///                 ]),
///         ]))
/// ```
///
/// A stored object has the members of all kinds, so that each row and each answer looks alike: null where the kind does not have
/// the member. A call may leave those out, or give null.
public struct ObjectKinds: Sendable, Equatable {
    /// One kind.
    public struct Kind: Sendable, Equatable {
        /// The value of the member that names the kind.
        public let word: String
        /// What people read in the place of the word.
        public let label: String
        /// The members that objects of this kind have beside the common ones.
        public let members: [Column]

        /// Creates a kind.
        public init(_ word: String, label: String, _ members: [Column]) {
            self.word = word
            self.label = label
            self.members = members
        }
    }

    /// The member that names the kind: a choice of the kinds' words.
    public let member: Column
    /// The members of every kind.
    public let common: [Column]
    /// The kinds, in the order in which people choose among them.
    public let kinds: [Kind]

    /// Creates the kinds of an object. Two kinds may have members of one name, with bounds of their own.
    ///
    /// - Parameters:
    ///   - name: the name of the member that says of which kind an object is.
    ///   - label: what people read above it.
    ///   - common: the members of every kind.
    ///   - kinds: the kinds.
    public init(by name: String, label: String, common: [Column] = [], _ kinds: [Kind]) {
        member = Column(
            name, .choice(Choices(kinds.map { (word: $0.word, label: $0.label) })), nullable: false, label: label)
        self.common = common
        self.kinds = kinds
    }

    /// The members of an object of this kind: the one that names the kind, the common ones, its own.
    public func members(of kind: Kind) -> [Column] { [member] + common + kind.members }

    /// The names of the members of all kinds, each once: what a stored object has.
    public var names: [String] {
        var seen: Set<String> = []
        return (members(of: .init("", label: "", [])) + kinds.flatMap(\.members)).map(\.name)
            .filter { seen.insert($0).inserted }
    }
}
