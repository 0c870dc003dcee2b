/// One business domain: the tables it keeps, who may use them, and the methods it adds to the ones that every table
/// has.
///
/// A domain is a value without behaviour of its own. From it the server derives the methods (`books.list`,
/// `books.create` …), the validation of their parameters, the SQL they run, and their documentation. A domain contains
/// no HTTP, no SQL and no JSON text: SQL stands in its migrations, and the domain names the functions defined there.
///
/// ```swift
/// public enum Bookshop {
///     public static let domain = Domain(
///         name: "bookshop", label: "Librairie", entities: [authors, books], methods: [cite])
/// }
/// ```
///
/// Its tables, sequences and functions are in a Postgres schema of its own, and its migrations in a folder of its name.
///
/// `docs/adding-a-domain.md` builds this domain step by step.
public struct Domain: Sendable {
    /// A short name in lower case, such as `bookshop`: that of the folder of its migrations. It is not part of the names of
    /// methods.
    public let name: String
    /// What people call it, such as `Librairie`: French, with a capital letter. A domain that is served has one.
    public let label: String?
    /// The Postgres schema of its tables, sequences and functions.
    public let schema: String
    /// The names of the domains with migrations that come before those of this one.
    public let requires: [String]
    /// The roles to which the domain gives rights, the most powerful first.
    ///
    /// Of the roles that an account holds and that a method allows, the first of these is the one in which a call is made.
    /// A role that reaches its own rows therefore comes before ``Role/user``, which each such account holds, too, unless it is
    /// an administrator. The server refuses to start where the same right reaches every row for ``Role/user``, and where an
    /// entity or a command gives a right to a role that is not in this list.
    public let roles: [Role]
    /// The domain's tables. The order is that of their methods in the documentation.
    ///
    /// Names of entities are unique over all domains that a server serves: a duplicate is an error when it starts.
    public let entities: [Entity]
    /// The methods that functions of the database carry out, such as `books.lend`.
    public let commands: [Command]
    /// The methods that compute a result from records, such as `books.cite`, or make a document from them.
    public let methods: [LoadedMethod]
    /// The documents that can be subscribed to.
    public let subscriptions: [Subscriptions]
    /// The kinds of messages that its writes send.
    public let notices: [Notice]
    /// What the server does for it at certain times.
    public let jobs: [Job]
    /// The documents that people sign through a link.
    public let signatures: [Signatures]

    /// Creates a domain.
    ///
    /// - Parameters:
    ///   - name: a short name in lower case.
    ///   - label: what people call it.
    ///   - schema: the Postgres schema; nil: the same as `name`.
    ///   - requires: the domains that its migrations refer to.
    ///   - roles: the roles to which it gives rights, the most powerful first; without further ones, the base roles.
    ///   - entities: the tables, in the order in which the documentation lists them.
    ///   - commands: the methods that functions of the database carry out.
    ///   - methods: the methods beside those that every entity has. Each refers to one of `entities`.
    ///   - subscriptions: the documents that can be subscribed to. Each refers to one of `methods`.
    ///   - notices: the kinds of messages that its writes send. Each refers to one of `entities`.
    ///   - jobs: what the server does for it at certain times.
    ///   - signatures: the documents that people sign through a link. Each refers to some of `methods`.
    public init(
        name: String, label: String? = nil, schema: String? = nil, requires: [String] = [], roles: [Role] = Role.base,
        entities: [Entity],
        commands: [Command] = [], methods: [LoadedMethod] = [], subscriptions: [Subscriptions] = [],
        notices: [Notice] = [], jobs: [Job] = [], signatures: [Signatures] = []
    ) {
        self.name = name
        self.label = label
        self.schema = schema ?? name
        self.requires = requires
        self.roles = roles
        self.entities = entities
        self.commands = commands
        self.methods = methods
        self.subscriptions = subscriptions
        self.notices = notices
        self.jobs = jobs
        self.signatures = signatures
    }

    /// The entity of this name; nil if the domain has none.
    public func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }
}

extension Sequence<Domain> {
    /// The roles of all domains, each once.
    public var roles: [Role] {
        var seen: Set<Role> = []
        return flatMap(\.roles).filter { seen.insert($0).inserted }
    }
}
