import Auth
import DomainKit

/// Why a planned call could not be carried out.
enum ExecutionFault: Error, Sendable {
    case notFound(Noun)
    /// The record is no longer at the version the caller knows; as it is now.
    case versionConflict(current: Record)
    /// A value that must be unique is taken; what to say of it, where the constraint is known.
    case notUnique(Problem?)
    /// Other records refer to it: how many, and which nouns they go by.
    case referenced(count: Int, by: [Noun])
    /// Values that only the database could judge.
    case invalidValues([Problem])
    case invalidCredentials
    /// Too many attempts; in seconds.
    case rateLimited(retryAfter: Int)
    /// The token shown is not, or no longer, good.
    case unauthenticated(TokenError)
    /// The database's own rights refused what the role table allows.
    case refusedByDatabase(cause: String)
    /// Nothing happened; worth trying again.
    case unavailable(cause: String)
    case timeout
    /// The caller is gone.
    case cancelled
    case outcomeUnknown(cause: String)
    /// A defect of this server; for the log alone.
    case unexpected(cause: String)
}
