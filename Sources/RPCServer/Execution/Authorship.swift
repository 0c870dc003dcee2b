import Auth
import PostgresDriver

/// Who a write is made for: settings of its transaction that the journal's triggers read. The first statement of the
/// flight, so that they are gone with it and cost no round trip.
enum Authorship {
    static func step(of call: Call) -> Step {
        let account: Parameter = call.caller.map { .text(String($0.identity.userID)) } ?? .text("")
        return Step(statement, [account, .text(call.context.requestID)])
    }

    private static let statement = Statement(
        "SELECT set_config('learntrack.account', $1::text, true), set_config('learntrack.request', $2::text, true)")
}
