import Auth
import DomainKit
import PostgresDriver

/// Who makes a call, and for which request: settings of its transaction. Policies and functions of the database read them
/// through `kernel.account()`, `kernel.role()` and `kernel.subject()`, the triggers of the journal directly.
///
/// They are set by the first statement of the transaction, so they cost no round trip and end with the transaction. A
/// connection without them has no subject, and shows a role with a subject no rows.
enum CallSettings {
    static func step(of call: Call) -> Step {
        let account: Parameter = call.caller.map { .text(String($0.user.userID)) } ?? .text("")
        let subject: Parameter = call.role?.subject.map { .text(String($0)) } ?? .text("")
        return Step(
            statement, [account, .text(call.role?.served.role.name ?? ""), subject, .text(call.context.requestID)])
    }

    private static let statement = Statement(
        """
        SELECT set_config('learntrack.account', $1::text, true), set_config('learntrack.role', $2::text, true), \
        set_config('learntrack.subject', $3::text, true), set_config('learntrack.request', $4::text, true)
        """)
}

extension Call {
    /// Whether each of the call's statements needs the settings, reads too: its rows depend on its subject.
    var hasSubject: Bool { role?.subject != nil }
}
