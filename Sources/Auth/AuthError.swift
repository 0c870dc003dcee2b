package import PostgresDriver

/// Why an access or refresh token is not accepted; the raw value is what the wire says.
package enum TokenError: String, Error, Sendable, Equatable {
    /// There is none.
    case missing
    /// It was not issued here, or not for this.
    case invalid
    case expired
    /// Its sign-in has ended, or the account is no longer what the token says.
    case revoked
}

/// Everything that can go wrong in finding out who someone is.
package enum AuthError: Error, Sendable {
    /// No such account, not its password, or deactivated: nobody is told which.
    case invalidCredentials
    case unauthenticated(TokenError)
    /// Too much at once; worth another try after so many seconds.
    case busy(retryAfter: Int)
    /// A new password that is not good enough.
    case password(PasswordPolicyError)
    /// The current password that goes with a change is wrong.
    case wrongCurrentPassword
    /// There is an account with this e-mail already.
    case emailTaken
    case noSuchAccount
    /// The deadline passed before an answer was found.
    case timeout
    case cancelled
    /// The system gave no memory or no randomness for a hash.
    case hashingFailed
    /// A token could not be signed.
    case signingFailed
    case database(PostgresError)

    init(_ refusal: HashingThreadPoolError) {
        self =
            switch refusal {
            case .queueFull: .busy(retryAfter: 1)
            case .cancelled: .cancelled
            case .deadlineExceeded: .timeout
            }
    }

    /// A refusal by the database; a deadline and a cancellation are the caller's own doing.
    init(_ error: PostgresError) {
        self =
            switch error.kind {
            case .timeout: .timeout
            case .cancelled: .cancelled
            default: .database(error)
            }
    }
}
