import Auth
import DomainKit
import JSON
import QueryCompiler

/// The error object of each error. Their messages are in `Messages+French.swift`.
extension RPCErrorObject {
    package init(_ error: CallError) {
        switch error {
        case .envelope(let error): self.init(error)
        case .method(let error):
            self.init(.methodNotFound, error.message, error.suggestion.map { .text("suggestion", $0) })
        case .authentication(.refused(let error)): self.init(error)
        case .authentication(.closed(let closure)): self.init(ExecutionError.closed(closure))
        case .authentication(.undecided(let error)): self.init(error)
        case .authorisation(let error): self.init(.forbidden, error.message, error.path.map { .text("path", $0) })
        case .params(let problems): self.init(problems)
        case .limit(let limit):
            self.init(
                .limitExceeded, limit.message, .text("limit", limit.name), limit.cost.map { .number("price", $0) },
                .number("max", limit.max), limit.unit.map { .text("unit", $0.rawValue) },
                limit.path.map { .text("path", $0) })
        case .execution(let error): self.init(error)
        }
    }

    package init(_ error: ResponseSizeError) {
        self.init(
            .limitExceeded, error.message, .text("limit", "cost"), .number("max", error.max), .text("unit", "bytes"))
    }

    private init(_ error: EnvelopeError) {
        switch error {
        case .notJSON(let position):
            self.init(
                .parseError, error.message, .number("line", position.line), .number("column", position.column))
        case .tooDeep(let max):
            self.init(.limitExceeded, error.message, .text("limit", "json_depth"), .number("max", max))
        case .batchTooLarge(_, let max):
            self.init(.limitExceeded, error.message, .text("limit", "batch"), .number("max", max))
        case .emptyBatch, .notAnObject, .duplicateMember, .version, .identifier, .method, .params:
            self.init(.invalidRequest, error.message)
        }
    }

    private init(_ error: TokenError) {
        self.init(.unauthenticated, error.message, .text("reason", error.reason))
    }

    private init(_ problems: [Problem]) {
        self.init(.invalidParams, problems.message, .problems(problems))
    }

    private init(_ error: ExecutionError) {
        switch error {
        case .notFound(_, let facts, let path):
            self.init(.notFound, error.message, path.map { .text("path", $0) }, .facts(facts))
        case .versionConflict(let current):
            self.init(.conflict, error.message, .text("reason", "version"), current: current)
        case .changedBefore(let id, let version):
            let current: JSONObject = ["id": .number(id), "version": .number(version)]
            self.init(
                .conflict, error.message, .text("reason", "version"), .facts(["current": .object(current)]))
        case .notUnique(let problem):
            self.init(.conflict, error.message, .text("reason", "unique"), problem.map { .problems([$0]) })
        case .referenced(let count, _):
            self.init(.conflict, error.message, .text("reason", "referenced"), .number("count", count))
        case .invalidValues(let problems): self.init(problems)
        case .conflict(let reason, _, let facts):
            self.init(.conflict, error.message, .text("reason", reason), .facts(facts))
        case .forbidden(_, let facts): self.init(.forbidden, error.message, .facts(facts))
        case .closed(.suspended): self.init(.forbidden, error.message, .text("reason", "suspended"))
        case .closed(.moved(let place)):
            self.init(.forbidden, error.message, .text("reason", "moved"), .text(RPCErrorObject.movedTo, place))
        case .idempotency(let conflict):
            self.init(
                .conflict, conflict.message, .text("reason", "idempotency"),
                conflict == .running ? .flag("retryable", true) : nil)
        case .inCall(let index, let error):
            self = RPCErrorObject(error).inCall(at: TransactionMethod.path(ofCall: index))
        case .invalidCredentials, .invalidPasskey: self.init(.invalidCredentials, error.message)
        case .rateLimited(let seconds): self.init(.rateLimited, error.message, .number("retry_after", seconds))
        case .overloaded(let seconds): self.init(.rateLimited, error.message, .number("retry_after", seconds))
        case .unauthenticated(let error): self.init(error)
        case .tooLarge(let error): self.init(error)
        case .refusedByDatabase(let cause): self.init(.forbidden, error.message, cause: cause)
        case .unavailable(let cause), .locked(let cause):
            self.init(.unavailable, error.message, .flag("retryable", true), cause: cause)
        case .notConfigured: self.init(.unavailable, error.message, .flag("retryable", true))
        // A client that closes its connection is usual, so it has no cause to be logged.
        case .timeout, .cancelled: self.init(.timeout, error.message)
        case .outcomeUnknown(let cause): self.init(.outcomeUnknown, error.message, cause: cause)
        case .unexpected(let cause): self.init(.internalError, error.message, cause: cause)
        }
    }
}
