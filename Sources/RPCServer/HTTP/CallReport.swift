/// What became of one call.
package struct CallReport: Sendable {
    /// The stages of a call that are timed.
    package enum Stage: Int, Sendable, CaseIterable {
        case decode, authenticate, authorise, plan, execute, write
    }

    /// The method's name as the server knows it; nil when there is no such method or the call could not be read:
    /// what a client made up never becomes a label.
    package var method: String?
    /// The JSON-RPC error's code; nil when the call succeeded.
    package var code: Int?
    /// What went wrong inside, for the log alone; names no parameter, token or password.
    package var cause: String?
    private var nanoseconds = InlineArray<6, Int64>(repeating: 0)

    package init(method: String? = nil, code: Int? = nil, cause: String? = nil) {
        self.method = method
        self.code = code
        self.cause = cause
    }

    /// The time spent in a stage, in nanoseconds; zero where the call did not get that far.
    package subscript(stage: Stage) -> Int64 {
        get { nanoseconds[stage.rawValue] }
        set { nanoseconds[stage.rawValue] = newValue }
    }
}
