/// A method that loads one record and then thinks: `books.cite`.
public struct LoadedMethod: Sendable {
    /// The second half of its name: `share`.
    public let name: String
    /// The entity whose record it loads by `id`; reading that entity is what the caller must be allowed to do.
    public let entity: String
    /// What it does, in French.
    public let summary: String
    /// Its parameters beside `id`.
    public let parameters: [Parameter]
    /// For documentation: what the answer holds, where that is texts alone.
    public let members: [Member]
    /// The selection to load.
    public let selection: String
    /// Whether `role` may call it with these parameters; asked before anything is loaded.
    public let allows: @Sendable (_ role: Role, _ parameters: [String: Value]) -> Bool
    /// From the loaded record (a JSON object shaped by `selection`) to the answer (a JSON object).
    public let answer: @Sendable (_ record: Value, _ parameters: [String: Value]) -> Value

    /// A parameter that takes one of a few words.
    public struct Parameter: Sendable {
        public let name: String
        public let choices: [String]
        /// Used when the call leaves it out.
        public let defaultChoice: String
        public let summary: String

        public init(_ name: String, choices: [String], default defaultChoice: String, summary: String) {
            self.name = name
            self.choices = choices
            self.defaultChoice = defaultChoice
            self.summary = summary
        }
    }

    /// A text of the answer.
    public struct Member: Sendable {
        public let name: String
        /// Whether every answer has it.
        public let isAlways: Bool
        public let summary: String

        public init(_ name: String, always isAlways: Bool = true, summary: String) {
            self.name = name
            self.isAlways = isAlways
            self.summary = summary
        }
    }

    public init(
        name: String, entity: String, summary: String, parameters: [Parameter], members: [Member] = [],
        selection: String,
        allows: @escaping @Sendable (Role, [String: Value]) -> Bool = { _, _ in true },
        answer: @escaping @Sendable (Value, [String: Value]) -> Value
    ) {
        self.name = name
        self.entity = entity
        self.summary = summary
        self.parameters = parameters
        self.members = members
        self.selection = selection
        self.allows = allows
        self.answer = answer
    }
}
