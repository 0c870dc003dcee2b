package import DomainKit
package import JSON
package import QueryCompiler
package import RPCServer

/// A document that a call asks for, before it is made. It is decided completely before the call takes a database connection.
package struct DocumentPlan: Sendable {
    let kind: DocumentKind
    package var loads: [CallPlan.PlannedLoad]
    /// The name of the file, from what was loaded.
    let name: @Sendable (_ loaded: [JSONValue]) -> String
    package var content: Content
    /// Why the document is not made, from what was loaded; nil if it is.
    package var refusal: (@Sendable (_ loaded: [JSONValue]) -> ExecutionError?)?

    /// What the document is about, from what was loaded; nil if its name says enough.
    package var subject: (@Sendable (_ loaded: [JSONValue]) -> String?)?

    package init(
        kind: DocumentKind, loads: [CallPlan.PlannedLoad],
        name: @escaping @Sendable (_ loaded: [JSONValue]) -> String, content: Content,
        refusal: (@Sendable (_ loaded: [JSONValue]) -> ExecutionError?)? = nil,
        subject: (@Sendable (_ loaded: [JSONValue]) -> String?)? = nil
    ) {
        self.kind = kind
        self.loads = loads
        self.name = name
        self.content = content
        self.refusal = refusal
        self.subject = subject
    }

    /// How the content is made from what was loaded.
    package enum Content: Sendable {
        /// Here, because it takes no time.
        case written(@Sendable (_ loaded: [JSONValue]) throws -> DocumentContent)
        /// Apart from the server, because it may take long.
        case drawn(@Sendable (_ loaded: [JSONValue]) -> DocumentOrder)
        /// It was made before.
        case stored(@Sendable (_ deadline: ContinuousClock.Instant) async throws(ExecutionError) -> [UInt8])
    }

    /// What the name of the document is made from.
    var loadsForName: [CallPlan.PlannedLoad] { loads.map(\.withoutFile) }

    /// The plan of a document that may name records which are gone since its link was made.
    var withoutChecks: DocumentPlan {
        var plan = self
        plan.loads.removeAll { $0.named != nil }
        return plan
    }

    /// What a call of the method costs, and again the making of the document.
    package var cost: CallCost { loads.reduce(CallCost()) { $0.adding($1.cost) } }
}

/// A document that was made.
package struct Document: Sendable {
    package let kind: DocumentKind
    package let name: String
    package let bytes: [UInt8]
    /// What it is about; nil if its name says enough.
    package var subject: String?
    /// What it lacks, for the log.
    var warnings: [String] = []

    package init(kind: DocumentKind, name: String, bytes: [UInt8], subject: String? = nil, warnings: [String] = []) {
        self.kind = kind
        self.name = name
        self.bytes = bytes
        self.subject = subject
        self.warnings = warnings
    }
}
