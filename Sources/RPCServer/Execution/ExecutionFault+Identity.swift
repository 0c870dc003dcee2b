import Auth
import DomainKit

extension ExecutionFault {
    /// What an error in finding out who someone is means for a call, whatever it was doing.
    init(_ error: AuthError) {
        switch error {
        case .invalidCredentials: self = .invalidCredentials
        case .unauthenticated(let refusal): self = .unauthenticated(refusal)
        case .busy(let seconds): self = .rateLimited(retryAfter: seconds)
        case .password(let fault): self = .invalidValues([fault.problem(at: "/new_password")])
        case .wrongCurrentPassword:
            let message = "Donnez votre mot de passe actuel\u{A0}: ce n'est pas celui-ci."
            self = .invalidValues([Problem(path: "/current_password", code: .rule, message: message)])
        case .timeout: self = .timeout
        case .cancelled: self = .cancelled
        case .database(let error): self.init(error)
        case .emailTaken, .noSuchAccount, .hashingFailed, .signingFailed:
            self = .unexpected(cause: "identity: \(error)")
        }
    }
}

extension PasswordPolicyError {
    /// This fault as a problem of the parameter at `path`.
    func problem(at path: String) -> Problem {
        Problem(path: path, code: self == .tooLong ? .tooLong : .rule, message: message)
    }
}
