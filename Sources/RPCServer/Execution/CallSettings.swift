import Auth
import DomainKit
import HTTPServer
package import PostgresDriver

/// Who makes a call, and for which request: settings of its transaction. Policies and functions of the database read them
/// through `kernel.account()`, `kernel.role()`, `kernel.subject()` and `kernel.company()`, the triggers of the journal directly.
///
/// They are set by the first statement of the transaction, so they cost no round trip and end with the transaction. A
/// connection without them has no subject, and shows a role with a subject no rows.
package enum CallSettings {
    /// Begins a transaction of changes.
    static func step(of call: Call) -> Step {
        guard let trace = call.context.trace else { return Step(statement, parameters(of: call)) }
        return Step(statementWithTrace, parameters(of: call) + [.text(trace.header)])
    }

    /// Begins a read, and makes its transaction read-only: the read may run more than once. Nil if the rows that the call
    /// reads do not depend on the settings: without them, functions of the database are in the company that an installation has,
    /// as long as it serves no others.
    package static func ofRead(in call: Call, of installation: Installation) -> Step? {
        call.hasSubject || isNamed(call.company, of: installation) ? Step(statementOfRead, parameters(of: call)) : nil
    }

    /// Begins a read that the server itself makes in a company; nil as for that of a call.
    static func ofRead(in company: Company, of installation: Installation) -> Step? {
        isNamed(company, of: installation) ? Step(statementOfServerRead, [.text(String(company.id))]) : nil
    }

    private static func isNamed(_ company: Company, of installation: Installation) -> Bool {
        company != .only || installation.readsNameCompany
    }

    /// Begins a transaction in which the server itself calls functions of the database that act in a company.
    package static func acting(in company: Company) -> Step { Step(statementOfCompany, [.text(String(company.id))]) }

    private static func parameters(of call: Call) -> [Parameter] {
        let account: Parameter = call.caller.map { .text(String($0.user.userID)) } ?? .text("")
        let subject: Parameter = call.role?.subject.map { .text(String($0)) } ?? .text("")
        return [
            account, .text(call.role?.served.role.name ?? ""), subject, .text(call.context.requestID),
            .text(String(call.company.id)),
        ]
    }

    private static let sql = """
        SELECT set_config('learntrack.account', $1::text, true), set_config('learntrack.role', $2::text, true), \
        set_config('learntrack.subject', $3::text, true), set_config('learntrack.request', $4::text, true), \
        set_config('learntrack.company', $5::text, true)
        """
    private static let statement = Statement(sql)
    /// The messages that the transaction enters in the outbox belong to the trace.
    private static let statementWithTrace = Statement(sql + ", set_config('learntrack.trace', $6::text, true)")
    private static let statementOfCompany = Statement("SELECT set_config('learntrack.company', $1::text, true)")
    private static let statementOfRead = Statement(sql + ", set_config('transaction_read_only', 'on', true)")
    private static let statementOfServerRead = Statement(
        "SELECT set_config('learntrack.company', $1::text, true), set_config('transaction_read_only', 'on', true)")
}

extension Call {
    /// Whether each of the call's statements needs the settings, reads too: its rows depend on its subject.
    var hasSubject: Bool { role?.subject != nil }
}
