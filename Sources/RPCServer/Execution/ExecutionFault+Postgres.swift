import DomainKit
import PostgresDriver

extension ExecutionFault {
    /// What an error of the driver means for a call, whatever it was doing.
    init(_ error: PostgresError) {
        // The description holds neither parameters nor values.
        let cause = error.description
        switch error.kind {
        case .unavailable, .connectionLost, .closed: self = .unavailable(cause: cause)
        case .timeout: self = .timeout
        case .cancelled: self = .cancelled
        case .outcomeUnknown: self = .outcomeUnknown(cause: cause)
        case .protocolViolation, .unsupported: self = .unexpected(cause: cause)
        case .invalidParameter:
            let message = "Retirez le caractère nul (U+0000) de ce texte."
            self = .invalidValues([Problem(path: "", code: .format, message: message)])
        case .server: self.init(sqlState: error.sqlState ?? "", cause: cause)
        }
    }

    private init(sqlState: String, cause: String) {
        switch (sqlState.prefix(2), sqlState) {
        case (_, "42501"): self = .refusedByDatabase(cause: cause)
        case (_, "57014"): self = .timeout
        // Connections, resources, an operator's hand, a standby, a lock or a conflict that outlasted its retries.
        case ("08", _), ("53", _), ("57", _), ("40", _), (_, "25006"), (_, "55P03"): self = .unavailable(cause: cause)
        default: self = .unexpected(cause: cause)
        }
    }
}
