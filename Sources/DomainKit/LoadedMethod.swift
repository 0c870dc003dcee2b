public import JSON

/// A method that loads records and computes its result from them, such as `books.cite`, or makes a document from them.
///
/// A call gives the method's own parameters, and `id` if the method is for one record. The server checks them, loads what
/// ``loads`` names, a statement for each, and passes it to ``answers``. A record that does not exist is answered with 404.
///
/// A call of a method that makes a document is answered with a link to it. The document is made when the link is opened, from
/// what is loaded then.
///
/// ```swift
/// LoadedMethod(
///     name: "cite", entity: "books", summary: "Une référence bibliographique.",
///     parameters: [
///         Column("style", .choice(["short", "long"]), nullable: false, default: "short", summary: "Laquelle.")
///     ],
///     members: [LoadedMethod.Member("text", summary: "La référence.")],
///     selection: "{ title author { name } }"
/// ) { book, parameters in
///     let title = book["title"]?.text ?? ""
///     guard parameters["style"] == "long", let author = book["author"]?["name"]?.text else {
///         return ["text": .string(title)]
///     }
///     return ["text": .string("\(author), \(title)")]
/// }
/// ```
public struct LoadedMethod: Sendable {
    /// The second half of the method's name: `cite` of `books.cite`.
    public let name: String
    /// The first half of the method's name; nil: the name of ``entity``.
    public let group: String?
    /// The name of the entity that has the method. A role that may read this entity may call the method; it must be able to
    /// read all that the method loads.
    public let entity: String
    /// What the method does: a French sentence.
    public let summary: String
    /// The parameters beside the `id` of a record that is loaded. A parameter accepts what a column of this declaration
    /// accepts; one that is nullable or has a default may be missing or null.
    ///
    /// A call is answered with 404 and the path of the parameter if its role cannot read the record that a parameter with a
    /// ``Column/target`` names. A link to a document, and a subscription, outlive the record: they open with its
    /// ``Entity/successor``, if it has one, and else with the id of the call.
    public let parameters: [Column]
    /// The rules between parameters. The server checks those that say whether they hold.
    public let rules: [Rule]
    /// What is loaded, in this order.
    public let loads: [Load]
    /// Whether a role may call the method with these parameters. The server asks before it loads anything, and answers
    /// with 403 if not.
    public let allows: @Sendable (_ role: Role, _ parameters: [String: JSONValue]) -> Bool
    /// What is computed from them.
    public let answers: Answers

    /// What a method computes. The functions are pure: their results depend on their arguments only. They may run on any
    /// thread. `loaded` is what ``LoadedMethod/loads`` names, in its order.
    public enum Answers: Sendable {
        /// A JSON object. `members`, for documentation, are those of the result, if all of them are texts; empty: any object.
        case value(
            members: [Member], @Sendable (_ loaded: [JSONValue], _ parameters: [String: JSONValue]) -> JSONValue)
        /// A document. Its name is that of a file, with the extension.
        case document(
            DocumentKind, name: @Sendable (_ loaded: [JSONValue], _ parameters: [String: JSONValue]) -> String,
            render: @Sendable (_ loaded: [JSONValue], _ parameters: [String: JSONValue]) throws -> DocumentContent)
    }

    /// The name of the method of the service: that of the group, or else of the entity, and its own.
    public var qualifiedName: String { "\(group ?? entity).\(name)" }

    /// A member of the result that is a text.
    public struct Member: Sendable {
        /// The name on the wire.
        public let name: String
        /// Whether every result has it.
        public let isAlways: Bool
        /// What it contains: a French sentence.
        public let summary: String

        /// Creates a member, one of every result unless `isAlways` is false.
        public init(_ name: String, always isAlways: Bool = true, summary: String) {
            self.name = name
            self.isAlways = isAlways
            self.summary = summary
        }
    }

    /// Creates a method that computes its result from several loads.
    ///
    /// - Parameters:
    ///   - name: the second half of its name.
    ///   - group: the first half of its name; nil: the name of the entity.
    ///   - entity: the name of its entity.
    ///   - summary: a French sentence.
    ///   - parameters: the parameters beside `id`.
    ///   - rules: the rules between parameters.
    ///   - members: the members of the result, if all of them are texts.
    ///   - loads: what is loaded.
    ///   - allows: whether a role may call it with these parameters; by default every role that may read the entity.
    ///   - answer: from what was loaded and the parameters to the result. All parameters are present, with their defaults;
    ///     one that is missing and has none is null.
    public init(
        name: String, group: String? = nil, entity: String, summary: String, parameters: [Column],
        rules: [Rule] = [], members: [Member] = [], loads: [Load],
        allows: @escaping @Sendable (Role, [String: JSONValue]) -> Bool = { _, _ in true },
        answer: @escaping @Sendable ([JSONValue], [String: JSONValue]) -> JSONValue
    ) {
        self.name = name
        self.group = group
        self.entity = entity
        self.summary = summary
        self.parameters = parameters
        self.rules = rules
        self.loads = loads
        self.allows = allows
        answers = .value(members: members, answer)
    }

    /// Creates a method that makes a document.
    ///
    /// - Parameters:
    ///   - name: the second half of its name.
    ///   - entity: the name of its entity.
    ///   - summary: a French sentence.
    ///   - parameters: the parameters beside `id`.
    ///   - rules: the rules between parameters.
    ///   - loads: what is loaded.
    ///   - allows: whether a role may call it with these parameters; by default every role that may read the entity.
    ///   - document: the kind of the document.
    ///   - fileName: from what was loaded and the parameters to the name of the document's file, with its extension.
    ///   - render: from what was loaded and the parameters to the content of the document. The same arguments make the same
    ///     bytes, so that clients need not fetch a document twice.
    public init(
        name: String, entity: String, summary: String, parameters: [Column], rules: [Rule] = [], loads: [Load],
        allows: @escaping @Sendable (Role, [String: JSONValue]) -> Bool = { _, _ in true },
        document: DocumentKind, fileName: @escaping @Sendable ([JSONValue], [String: JSONValue]) -> String,
        render: @escaping @Sendable ([JSONValue], [String: JSONValue]) throws -> DocumentContent
    ) {
        self.name = name
        group = nil
        self.entity = entity
        self.summary = summary
        self.parameters = parameters
        self.rules = rules
        self.loads = loads
        self.allows = allows
        answers = .document(document, name: fileName, render: render)
    }

    /// Creates a method that computes its result from one record.
    ///
    /// - Parameters:
    ///   - name: the second half of its name.
    ///   - entity: the name of the entity of the record.
    ///   - summary: a French sentence.
    ///   - parameters: the parameters beside `id`.
    ///   - rules: the rules between parameters.
    ///   - members: the members of the result, if all of them are texts.
    ///   - selection: what is loaded.
    ///   - allows: whether a role may call it with these parameters; by default every role that may read the entity.
    ///   - answer: from the loaded record and the parameters to the result. All parameters are present, with their
    ///     defaults; one that is missing and has none is null.
    public init(
        name: String, entity: String, summary: String, parameters: [Column], rules: [Rule] = [],
        members: [Member] = [], selection: String,
        allows: @escaping @Sendable (Role, [String: JSONValue]) -> Bool = { _, _ in true },
        answer: @escaping @Sendable (JSONValue, [String: JSONValue]) -> JSONValue
    ) {
        self.init(
            name: name, entity: entity, summary: summary, parameters: parameters, rules: rules, members: members,
            loads: [.record(selection)], allows: allows
        ) { loaded, parameters in
            answer(loaded[0], parameters)
        }
    }
}
