import Synchronization

/// One SQL text. There is one object per shape of call as long as the plan cache keeps it, so that whoever runs it
/// can hang what belongs to it, such as its prepared counterpart, on the object.
package final class SQLStatement: Sendable {
    package let text: String
    /// Whether the best plan hangs on the values of the parameters: a filter that may match few records or nearly
    /// all. For all others a plan made once is as good and saves planning.
    package let prefersCustomPlan: Bool
    private let attachment = Mutex<(any AnyObject & Sendable)?>(nil)

    init(_ text: String, prefersCustomPlan: Bool = false) {
        self.text = text
        self.prefersCustomPlan = prefersCustomPlan
    }

    /// The object that the executor keeps for this statement; made at the first call.
    ///
    /// - Parameter make: from the SQL text; every call must ask for the same class.
    package func attachment<Companion: AnyObject & Sendable>(_ make: (String) -> Companion) -> Companion {
        attachment.withLock { attachment in
            if let made = attachment as? Companion { return made }
            let made = make(text)
            attachment = made
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

/// A statement with the values of its parameters, `$1` first, as texts; nil is null. The SQL holds the casts.
package struct Query: Sendable {
    package let statement: SQLStatement
    package let parameters: [String?]
}
