import DomainKit
import QueryCompiler

/// Why a call failed: the fault of the stage it failed in.
enum CallFailure: Error, Sendable {
    case envelope(EnvelopeFault)
    case method(MethodFault)
    case authentication(AuthenticationFault)
    case authorisation(AuthorisationFault)
    /// All that is wrong with the params.
    case params([Problem])
    case limit(QueryLimitError)
    case execution(ExecutionFault)
}

extension CallFailure {
    /// This failure, told together with `problems` found before it where both are about the params.
    ///
    /// A limit or a refusal that depends on the params is no longer what matters while their names are wrong.
    func joined(by problems: [Problem]) -> CallFailure {
        guard case .params(let others) = self else { return .params(problems) }
        return .params(problems + others)
    }
}
