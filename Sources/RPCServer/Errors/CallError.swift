package import DomainKit
import JSON
package import QueryCompiler

/// The error that ends a call: one case per stage of its way through ``RPCService``.
package enum CallError: Error, Sendable {
    case envelope(EnvelopeError)
    case method(MethodError)
    case authentication(AuthenticationError)
    case authorisation(AuthorisationError)
    /// Every problem of the params.
    case params([Problem])
    case limit(QueryLimitError)
    case execution(ExecutionError)

    package init(_ error: PlanError) {
        switch error {
        case .problems(let problems): self = .params(problems)
        case .limit(let limit): self = .limit(limit)
        }
    }

    /// This error and the `problems` that were found before it, as one error.
    ///
    /// Only problems of params are joined. Any other error depends on params that are wrong, so it is dropped.
    func joined(to problems: [Problem]) -> CallError {
        guard !problems.isEmpty else { return self }
        guard case .params(let others) = self else { return .params(problems) }
        return .params(problems + others)
    }
}

/// The result of `work`, with its error converted by `convert`, as in `try mapError(find(name), CallError.method)`.
package func mapError<Success, Inner: Error, Outer: Error>(
    _ work: @autoclosure () throws(Inner) -> Success, _ convert: (Inner) -> Outer
) throws(Outer) -> Success {
    do throws(Inner) { return try work() } catch { throw convert(error) }
}

package func mapError<Success, Inner: Error, Outer: Error>(
    async work: @autoclosure () async throws(Inner) -> Success, _ convert: (Inner) -> Outer
) async throws(Outer) -> Success {
    do throws(Inner) { return try await work() } catch { throw convert(error) }
}
