import JSON
import Synchronization

/// One compiled SQL text.
///
/// Calls of the same shape share one object while it is in the planner's cache. Statements are equal if they are the
/// same object.
package final class SQLStatement: Sendable {
    package let text: String
    /// Whether the parameter after those of the values is the company of the call.
    package let namesCompany: Bool
    /// Whether the best plan depends on the values of the parameters, for example of a filter that can match few records
    /// or nearly all. For other statements a generic plan is as good and saves planning.
    package let prefersCustomPlan: Bool
    private let attached = Mutex<(any AnyObject & Sendable)?>(nil)

    /// The company of the call, in a text that is not numbered yet.
    static let company = "$company::bigint"

    /// - Parameters:
    ///   - text: with ``company`` beside each table whose rows belong to companies.
    ///   - parameters: the number of the values.
    init(_ text: String, parameters: Int, prefersCustomPlan: Bool = false) {
        namesCompany = text.contains(Self.company)
        self.text = namesCompany ? text.replacing(Self.company, with: "$\(parameters + 1)::bigint") : text
        self.prefersCustomPlan = prefersCustomPlan
    }

    /// The object that the executor attaches to this statement, such as its prepared statement in the driver. It lives
    /// as long as this object.
    ///
    /// - Parameter make: creates the object from the SQL text, at the first call. Every call must ask for the same class.
    package func attachment<Attachment: AnyObject & Sendable>(_ make: (String) -> Attachment) -> Attachment {
        attached.withLock { attached in
            if let existing = attached as? Attachment { return existing }
            let made = make(text)
            attached = made
            return made
        }
    }
}

extension SQLStatement: Hashable {
    package static func == (left: SQLStatement, right: SQLStatement) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A statement with the values of its parameters.
package struct Query: Sendable {
    package let statement: SQLStatement
    /// The values in Postgres's text format, `$1` first; nil for null. The SQL casts them to their types. The company of the call is
    /// not among them: who executes the query adds it, if ``SQLStatement/namesCompany``.
    package let parameters: [String?]
    package var expectedCost = ExpectedCost.point
}
