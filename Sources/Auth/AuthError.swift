package import PostgresDriver

/// Why an operation of ``AuthService`` failed.
package enum AuthError: Error, Sendable {
    /// The e-mail is unknown, the password is wrong or the account is deactivated. The three cases are not
    /// distinguished, so that an attacker cannot find out which accounts exist.
    case invalidCredentials
    case unauthenticated(TokenError)
    /// Too many attempts, or too many hashes are waiting. Another attempt may succeed after this number of seconds.
    case busy(retryAfter: Int)
    /// The new password violates the policy.
    case password(PasswordPolicyError)
    /// The current password that confirms a change of password is wrong.
    case wrongCurrentPassword
    /// The access key cannot be created.
    case accessKey(AccessKeyError)
    /// The passkey cannot be added.
    case passkey(PasskeyError)
    /// The account has as many subscriptions as it may have.
    case tooManySubscriptions
    /// Another account has this e-mail.
    case emailTaken
    case noSuchAccount
    /// The account is not an active member of the company, or there is none.
    case noSuchCompany
    /// No call is answered in the company.
    case closed(CompanyClosure)
    /// No company has the id that a command names, or there are several, and it names none.
    case noCompany
    /// The write cannot be made under its idempotency key.
    case idempotency(IdempotencyConflict)
    /// The deadline passed before the operation was complete.
    case timeout
    /// The calling task was cancelled.
    case cancelled
    /// The system had no memory or no randomness for a hash.
    case hashingFailed
    /// The claims of an access token could not be encoded.
    case signingFailed
    case database(PostgresError)

    init(_ error: HashingThreadPoolError) {
        self =
            switch error {
            case .queueFull: .busy(retryAfter: 1)
            case .cancelled: .cancelled
            case .deadlineExceeded: .timeout
            }
    }

    init(_ error: PostgresError) {
        self =
            switch error.kind {
            case .timeout: .timeout
            case .cancelled: .cancelled
            default: .database(error)
            }
    }
}

extension AuthError: CustomStringConvertible {
    /// In a few words, for the log and for commands.
    package var description: String {
        switch self {
        case .invalidCredentials: "e-mail or password is wrong"
        case .unauthenticated(let error): "the token is not accepted: \(error.rawValue)"
        case .busy(let seconds): "too many attempts or password hashes: try again in \(seconds) s"
        case .password(let error): error.message
        case .wrongCurrentPassword: "the current password is wrong"
        case .accessKey(let error): "the access key cannot be created: \(error.rawValue)"
        case .passkey(let error): "the passkey cannot be added: \(error.rawValue)"
        case .tooManySubscriptions: "the account has as many subscriptions as it may have"
        case .emailTaken: "there is an account with this e-mail already"
        case .noSuchAccount: "there is no account with this e-mail"
        case .noCompany: "name one of the companies that 'learntrack companies list' shows: --company ID"
        case .noSuchCompany: "the account is not an active member of the company"
        case .closed(.suspended): "the company is suspended"
        case .closed(.moved(let place)): "the company has moved to \(place)"
        case .idempotency: "the idempotency key belongs to another call"
        case .timeout: "it took too long"
        case .cancelled: "it was cancelled"
        case .hashingFailed: "the system had no memory or no randomness for the hash of a password"
        case .signingFailed: "an access token cannot be signed"
        case .database(let error): error.description
        }
    }
}

/// Why an access token, an access key or a refresh token is not accepted. The raw value is part of the wire protocol.
package enum TokenError: String, Error, Sendable, Equatable {
    /// The call carries no token.
    case missing
    /// The token was not issued by this service, or not for this use.
    case invalid
    case expired
    /// The sign-in of the token has ended, or the roles or the activity of the account have changed.
    case revoked
    /// The access key has expired.
    case expiredKey
    /// The access key was revoked, or its account has lost the role.
    case revokedKey

    /// The word by which a client tells these errors apart. Those of a key have the words of a token.
    package var reason: String {
        switch self {
        case .missing, .invalid, .expired, .revoked: rawValue
        case .expiredKey: Self.expired.rawValue
        case .revokedKey: Self.revoked.rawValue
        }
    }
}
