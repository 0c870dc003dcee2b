/// What an account is in a domain: the right to its records that ``Access`` gives.
///
/// Every account has one of the two base roles, ``user`` and ``admin``. A domain may have further ones, of which an
/// account holds any number. Two roles of one name are the same role.
///
/// A role with a ``subject`` stands for one record: a driver for a truck, a device for itself. The account holds the role
/// together with the identifier of that record, and `Reach.own` limits the role to the rows that belong to the record.
///
/// An account in a further role keeps its base role, and may call the methods that only the base role may call. Give
/// ``user`` no right to records that one subject must not see of another.
///
/// ```swift
/// extension Role {
///     static let driver = Role("stock_driver", subject: "trucks", label: "Chauffeur")
/// }
/// ```
public struct Role: Sendable {
    /// The name on the wire and in access tokens: lower-case letters, digits and underscores.
    public let name: String
    /// The entity of the record that an account in this role stands for; nil for a role without a subject.
    public let subject: String?
    /// What people read in the place of the name: French, with a capital letter. The column `role` of the accounts has those of
    /// the base roles.
    public let label: String?

    /// Creates a role. A migration of its domain creates its database role, with `SELECT kernel.role_keep('learntrack_<name>')`.
    /// The server registers the role and its subject when it starts.
    ///
    /// - Parameters:
    ///   - name: the name on the wire.
    ///   - subject: the entity of the record that an account in the role stands for; nil for none.
    ///   - label: what people read in the place of the name.
    public init(_ name: String, subject: String? = nil, label: String? = nil) {
        self.name = name
        self.subject = subject
        self.label = label
    }

    /// An ordinary member of the organisation.
    public static let user = Role("user", label: "Utilisateur")
    /// A member who also manages accounts.
    public static let admin = Role("admin", label: "Administrateur")

    /// The roles of which every account has exactly one, the most powerful first.
    public static let base: [Role] = [.admin, .user]

    /// The database role under which the statements of its calls run.
    public var databaseRole: String { "learntrack_\(name)" }
}

extension Role: Hashable {
    /// Whether both have the same name.
    public static func == (left: Role, right: Role) -> Bool { left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Which rows of a table an operation may touch.
public enum Reach: Sendable, Hashable {
    /// Every row.
    case every
    /// The rows that have the identifier of the caller's subject in the column of this name. `create` fills the column, and
    /// `update` cannot change it. The table's policy repeats the limit:
    ///
    ///     CREATE POLICY … ON … TO learntrack_<name> USING (<column> = kernel.subject());
    ///
    /// `kernel.subject()` is a `bigint`, and null in a role without a subject.
    case own(_ column: String)
}

/// The roles that have a right, and how far it reaches for each of them.
///
/// A list of roles gives them every row. A dictionary says how far the right of each role reaches.
///
/// ```swift
/// let read: Grants = [.user, .admin]
/// let update: Grants = [.admin: .every, .driver: .own("truck_id")]
/// ```
public struct Grants: Sendable, Equatable {
    private let reaches: [Role: Reach]

    private init(reaches: [Role: Reach]) {
        self.reaches = reaches
    }

    /// Grants the right to every row to each of `roles`.
    public init(_ roles: some Sequence<Role>) {
        reaches = Dictionary(roles.map { ($0, .every) }, uniquingKeysWith: { first, _ in first })
    }

    /// The roles that have the right.
    public var roles: Set<Role> { Set(reaches.keys) }

    /// Whether no role has the right.
    public var isEmpty: Bool { reaches.isEmpty }

    /// How far the right of `role` reaches; nil if it does not have it.
    public subscript(role: Role) -> Reach? { reaches[role] }

    /// These grants, without those of roles that have none in `other`.
    public func intersection(_ other: Grants) -> Grants {
        Grants(reaches: reaches.filter { other[$0.key] != nil })
    }
}

extension Grants: ExpressibleByArrayLiteral {
    /// Grants the right to every row to each of the roles.
    public init(arrayLiteral roles: Role...) { self.init(roles) }
}

extension Grants: ExpressibleByDictionaryLiteral {
    /// Grants the right to the rows that each role's reach names. The process stops if a role is given twice.
    public init(dictionaryLiteral elements: (Role, Reach)...) {
        self.init(reaches: Dictionary(uniqueKeysWithValues: elements))
    }
}
