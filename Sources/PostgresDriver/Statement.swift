import Glibc

/// One SQL statement with `$1`, `$2`, … for its parameters. It is prepared once per connection and then run by name.
///
/// ```swift
/// enum Items {
///     static let byID = Statement("SELECT name, price FROM items WHERE id = $1")
/// }
/// let rows = try await client.query(Items.byID, ["7"])
/// ```
///
/// Create one object for each SQL text and keep it. The prepared statement and what the client learns about the
/// statement's run time belong to the object: two objects with the same text are prepared twice. Any thread may use it.
public final class Statement: Sendable {
    /// The text as it was given.
    public let sql: String
    /// Which plan Postgres makes for it when it is run by `query`.
    public let planning: Planning

    /// Its run times; they decide which connection it runs on and whether it may share a batch.
    @Reactor var statistics = StatementStatistics()

    /// - Parameters:
    ///   - sql: a single statement. It is not parsed here: when the server refuses it, the call that runs it throws.
    ///   - planning: `.custom` when the best plan depends on the parameters.
    public init(_ sql: String, planning: Planning = .generic) {
        self.sql = sql
        self.planning = planning
    }
}

/// How long a read is expected to take, as long as the run times of its statement are not known.
///
/// ```swift
/// let total = try await client.query(sumOfAllOrders, expecting: .slow)
/// ```
public enum ExpectedRunTime: Sendable {
    /// An index finds a few rows. The read shares a connection with others at once.
    case quick
    /// The first run has a connection of its own if one is free.
    case unknown
    /// Many rows are read. The first run does not take the connection that is left to quick reads. Later ones have a
    /// connection of their own if one is free, even if earlier runs of the statement were quick.
    case slow

    /// The estimate of one run.
    var microseconds: Int {
        switch self {
        case .quick: 200
        case .unknown: 500
        case .slow: 50_000
        }
    }
}

/// Which plan Postgres makes for a prepared statement.
public enum Planning: Sendable {
    /// What the session's `plan_cache_mode` says.
    case generic
    /// A plan for the parameters of each run. It takes some planning, and a read of its own transaction, because the
    /// setting lasts for one.
    case custom
}

/// One statement with its parameters, as a part of a transaction.
///
/// ```swift
/// try await client.transaction([
///     Step(withdraw, ["alice", .text("\(amount)")]),
///     Step(deposit, ["bob", .text("\(amount)")]),
/// ])
/// ```
public struct Step: Sendable {
    /// What is run.
    public let statement: Statement
    /// The values of its placeholders; the first is that of `$1`.
    public let parameters: [Parameter]

    /// A step that runs `statement` with `parameters`.
    public init(_ statement: Statement, _ parameters: [Parameter] = []) {
        self.statement = statement
        self.parameters = parameters
    }
}

/// A value for a placeholder (`$1`, …) of a statement.
///
/// ```swift
/// let rows = try await client.query(byNameAndPrice, ["lamp", .text("\(price)")])   // a literal is text, nil is null
/// ```
///
/// Numbers, dates, arrays and JSON travel as text too: `.text("42")`, `.text("2026-11-21")`, `.text("{1,2,3}")`. The server
/// infers the type from the statement, which may name it by a cast such as `$1::int[]`. A statement takes up to 65,535
/// parameters. A call with a parameter that cannot be sent throws `.invalidParameter` before it is sent.
public enum Parameter: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// SQL's NULL, of any type.
    case null
    /// Sent in text format; Postgres reads it as the type of the placeholder. It must not contain a NUL character.
    case text(String)
    /// Sent in binary format: a `bytea`, byte for byte.
    case bytes([UInt8])

    /// `"lamp"` stands for `.text("lamp")`.
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    /// `nil` stands for `.null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// The protocol counts parameters in sixteen bits.
    static let limit = 65_535

    /// libpq would cut a text at its first NUL without an error.
    static func check(_ parameters: [Parameter]) throws(PostgresError) {
        guard parameters.count <= limit else {
            throw PostgresError(
                .invalidParameter, cause: "\(parameters.count) parameters; a statement takes at most \(limit)")
        }
        for (index, parameter) in parameters.enumerated() {
            guard case .text(let text) = parameter, text.containsNUL else { continue }
            throw PostgresError(.invalidParameter, cause: "parameter $\(index + 1) contains a NUL character")
        }
    }
}

extension String {
    fileprivate var containsNUL: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 0, bytes.count) != nil
        } ?? utf8.contains(0)
    }
}
