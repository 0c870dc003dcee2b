/// A method that does something: a function of the database that decides and writes, such as `books.lend`.
///
/// A call gives the parameters. The server checks them, calls ``function`` with all of them in their order, and answers with
/// what it returns. The call is one transaction: if the function raises an error, all of it is undone. Like every write, a
/// command takes `idempotency_key` and `dry_run`, and can be a call of `transaction.run`.
///
/// ```swift
/// Command(
///     name: "books.lend", summary: "Prête un livre.",
///     parameters: [
///         Column("id", .bigint, nullable: false, of: "books", summary: "Livre."),
///         Column("reader", .text(maxLength: 100), nullable: false, summary: "À qui."),
///     ],
///     function: "bookshop.lend_book", answers: .record(of: "books"), roles: [.admin],
///     rules: [
///         Rule(
///             constraint: "books_lent", columns: ["id"], message: "Ce livre est déjà prêté.",
///             effect: .conflict(reason: "lent"), holds: nil)
///     ])
/// ```
///
/// The migrations define the function as `SECURITY DEFINER` and pass it to `kernel.command_keep`, which makes the role of the
/// domain's commands its owner and lets the roles of ``roles`` execute it. That is their only right to what it writes.
public struct Command: Sendable {
    /// The name of the method, unique over all methods: `books.lend`.
    public let name: String
    /// What stands on its button: French, a verb in the infinitive, such as « Prêter ». A domain that is served gives every command
    /// one.
    public let label: String?
    /// What the command does: a French sentence.
    public let summary: String
    /// The parameters. A parameter accepts what a column of this declaration accepts; one that is nullable or has a
    /// default may be missing or null.
    public let parameters: [Column]
    /// The parameters that Swift turns into what the function takes.
    public let parsed: [ParsedParameter]
    /// The function with its schema: `bookshop.lend_book`. It takes the parameters in their order, each with the SQL type of
    /// its ``FieldType``; a word of `choice` is `text`. A parameter that a call leaves out is its default, or else null.
    public let function: String
    /// What the function returns, and how the call is answered.
    public let answers: Answers
    /// The selection of a call that gives none; nil: all columns of the record.
    public let selection: String?
    /// The roles that may call it, and which records their calls may name.
    ///
    /// Before the function runs, the server reads the records that parameters with a ``Column/target`` name, as the role of the
    /// call and in the same transaction. The call is answered with 404 and the path of the parameter if the role may not read
    /// one of them. `.every` allows each record that the role may read, `.own("truck_id")` only those whose column is the
    /// caller's subject; entities without the column are not limited by it. The server refuses to start if `.own` limits no
    /// parameter that every call gives.
    ///
    /// The function itself sees every row. What it looks up in another way than by such a parameter, it limits itself, with
    /// `kernel.subject()`. A call is also undone and answered with 404 if its role cannot read the answered record.
    public let roles: Grants
    /// The rules between the parameters, and those that the function refuses calls by: `kernel.refuse` with the name, or a
    /// constraint or unique index of a table that it writes. An error of any other name is an internal error of the
    /// service, unless the entity of the answer declares it. If both declare the name, the rule of the command counts.
    public let rules: [Rule]

    /// What a function returns.
    public enum Answers: Sendable, Equatable {
        /// The id of a record of this entity, a `bigint`. The call is answered with the record, read by its `select`. Null
        /// is answered with 404, and so is a record that the caller may not read; what the function wrote is undone.
        case record(of: String)
        /// The ids of records of this entity, a `bigint[]`. The call is answered with `items` in this order. `atMost` is how
        /// many there can be, from which the price of a call follows.
        case records(of: String, atMost: Int = 100)
        /// `jsonb` of this shape, which is answered as it is.
        case value(Shape)
        /// `void`. The call is answered with an empty object.
        case nothing
    }

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - name: the name of the method.
    ///   - label: what stands on its button.
    ///   - summary: a French sentence.
    ///   - parameters: the parameters of the function, in its order.
    ///   - parsed: those that Swift turns into what the function takes.
    ///   - function: the name of the function, with its schema.
    ///   - answers: what the function returns.
    ///   - selection: the selection of a call that gives none; nil: all columns of the record.
    ///   - roles: the roles that may call it.
    ///   - rules: the rules between parameters, and those that it refuses calls by.
    public init(
        name: String, label: String? = nil, summary: String, parameters: [Column], parsed: [ParsedParameter] = [],
        function: String, answers: Answers, selection: String? = nil, roles: Grants, rules: [Rule] = []
    ) {
        self.name = name
        self.label = label
        self.summary = summary
        self.parameters = parameters
        self.parsed = parsed
        self.function = function
        self.answers = answers
        self.selection = selection
        self.roles = roles
        self.rules = rules
    }
}

extension Command {
    /// Whether it makes the only record of an entity at its first call: it needs no parameter, and answers the record.
    package func opens(_ entity: Entity) -> Bool {
        entity.isSingle && answers == .record(of: entity.name) && name.hasPrefix("\(entity.name).")
            && !parameters.contains(where: \.isRequired)
    }
}

extension Entity {
    /// The values that `update` takes, as the shape of a parameter: every member may be left out.
    public var changes: Shape {
        .object(columns.filter { $0.access == .readWrite }.map(\.leftOut))
    }
}

extension Column {
    /// This column as a member that may be missing, without a value that stands for it then.
    fileprivate var leftOut: Column {
        Column(
            name, type, nullable: isNullable, hasDefault: true, format: format, minimum: minimum, maximum: maximum,
            oneOf: allowedNumbers, reading: numberLabels, accepts: acceptedWords, label: label, summary: summary)
    }
}
