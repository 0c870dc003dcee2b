package import Auth
package import DomainKit
package import JSON
package import PostgresDriver

/// The reason why a planned call could not be executed.
package enum ExecutionError: Error, Sendable {
    /// `facts` are further members of the error's data: the record that has taken the place of a gone one. `path` is the
    /// parameter of a command that names the record.
    case notFound(Noun, facts: JSONObject = JSONObject(), path: String? = nil)
    /// The record no longer has the version that the caller expected; `current` is its present state.
    case versionConflict(current: Record)
    /// An earlier call of the transaction has changed or created the record, which had this version then.
    case changedBefore(id: String, version: String)
    /// The value of a unique column is taken. The problem is nil if the constraint is unknown.
    case notUnique(Problem?)
    /// `count` records of the entities with these nouns refer to the record.
    case referenced(count: Int, by: [Noun])
    /// Values that only the database can check.
    case invalidValues([Problem])
    /// A rule of the domain refuses the call in the present state of the data. `facts` are further members of the error's
    /// data.
    case conflict(reason: String, message: String, facts: JSONObject)
    /// A rule of the domain refuses the call to this caller.
    case forbidden(message: String, facts: JSONObject)
    /// No call is answered in the company.
    case closed(CompanyClosure)
    /// The call cannot be answered under its idempotency key.
    case idempotency(IdempotencyConflict)
    /// The error of a call of a transaction, counted from 0.
    indirect case inCall(Int, ExecutionError)
    case invalidCredentials
    /// A sign-in with a passkey that is not accepted.
    case invalidPasskey
    /// Too many attempts. `retryAfter` is in seconds.
    case rateLimited(retryAfter: Int)
    /// The account has too many calls waiting. `retryAfter` is in seconds.
    case overloaded(retryAfter: Int)
    case unauthenticated(TokenError)
    /// What the result is computed from has more bytes than a response may have.
    case tooLarge(ResponseSizeError)
    /// The database refused what the service's own table of rights allows.
    case refusedByDatabase(cause: String)
    /// The call had no effect and may be repeated.
    case unavailable(cause: String)
    /// The installation lacks a setting without which this cannot be done. The message says which, and who sets it.
    case notConfigured(message: String)
    /// Another transaction has held a lock for too long. The call had no effect and may be repeated.
    case locked(cause: String)
    case timeout
    /// The client closed its connection.
    case cancelled
    /// The connection to the database was lost during a write, which may have been committed.
    case outcomeUnknown(cause: String)
    /// A defect of this server. `cause` is for the log only.
    case unexpected(cause: String)

    package init(postgres error: PostgresError) {
        // The description contains neither parameters nor values.
        let cause = error.description
        switch error.kind {
        case .unavailable, .connectionLost, .closed: self = .unavailable(cause: cause)
        case .overloaded(let delay): self = .overloaded(retryAfter: Int((delay / .seconds(1)).rounded(.up)))
        case .timeout: self = .timeout
        case .cancelled: self = .cancelled
        case .outcomeUnknown: self = .outcomeUnknown(cause: cause)
        case .protocolViolation, .unsupported: self = .unexpected(cause: cause)
        case .missingRow: self = .unexpected(cause: "\(cause): run 'learntrack doctor', then 'learntrack migrate up'")
        case .invalidParameter: self = .invalidValues([ParameterProblem.nullCharacter.problem(at: "")])
        case .server:
            if error.sqlState == Self.moved, let place = error.server?.detail {
                self = .closed(.moved(to: place))
            } else {
                self.init(sqlState: error.sqlState ?? "", cause: cause)
            }
        }
    }

    /// Of the gate of a company that has moved. The detail is where to.
    private static let moved = "LT308"

    /// - Parameter view: the view that was read, whose function may refuse the call by a rule of the view.
    package init(postgres error: PostgresError, reading view: Entity?) {
        if let view, error.kind == .server,
            let refusal = error.server?.refusal(
                by: ColumnSet(view.parameters, rules: view.rules), given: JSONObject(), at: "")
        {
            self.init(refusal)
        } else {
            self.init(postgres: error)
        }
    }

    private init(sqlState: String, cause: String) {
        switch (sqlState.prefix(2), sqlState) {
        case (_, "42501"): self = .refusedByDatabase(cause: cause)
        case (_, "57014"): self = .timeout
        case (_, "55P03"): self = .locked(cause: cause)
        // Connection errors, exhausted resources, a shutdown by an operator, a read-only standby, and serialization
        // failures that persisted after the driver's retries.
        case ("08", _), ("53", _), ("57", _), ("40", _), (_, "25006"): self = .unavailable(cause: cause)
        default: self = .unexpected(cause: cause)
        }
    }

    package init(_ refusal: Refusal) {
        switch refusal {
        case .invalid(let problem): self = .invalidValues([problem])
        case .conflict(let reason, let message, let facts):
            self = .conflict(reason: reason, message: message, facts: facts)
        case .forbidden(let message, let facts): self = .forbidden(message: message, facts: facts)
        }
    }

    /// What authenticates callers has thrown. Methods that throw more say what that is.
    package init(auth error: AuthError) {
        switch error {
        case .invalidCredentials: self = .invalidCredentials
        case .unauthenticated(let error): self = .unauthenticated(error)
        case .busy(let seconds): self = .rateLimited(retryAfter: seconds)
        case .timeout: self = .timeout
        case .cancelled: self = .cancelled
        case .database(let error): self.init(postgres: error)
        case .idempotency(let conflict): self = .idempotency(conflict)
        case .closed(let closure): self = .closed(closure)
        case .password, .wrongCurrentPassword, .tooManySubscriptions, .emailTaken, .accessKey, .passkey,
            .noSuchAccount, .noSuchCompany, .noCompany, .hashingFailed, .signingFailed:
            self = .unexpected(cause: "identity: \(error)")
        }
    }
}

extension ExecutionError: CustomStringConvertible {
    /// In a sentence, for the log: the internal cause, or what the caller reads.
    package var description: String {
        let error = RPCErrorObject(.execution(self))
        return error.cause ?? error.message
    }
}
