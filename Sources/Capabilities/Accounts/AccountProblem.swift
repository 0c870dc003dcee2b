import Auth
import DomainKit
import RPCServer

/// What is wrong with the params of a method of the accounts.
enum AccountProblem {
    case wrongPassword
    case emailTaken
    /// The account is not a member of the company that it wants to enter.
    case company
    /// Another company has the name.
    case companyName
    /// The name of a company has line breaks or other characters that nobody sees.
    case unreadableName
    /// The period ends before it begins.
    case period
    /// With several companies, nobody gives a person a password.
    case passwordOfPerson
    case setupToken
    case resetToken
    /// `rawId` is another one than `id`.
    case otherIdentifier
    /// The call of a batch has no token, or wants a cookie.
    case cookieInBatch

    /// - Parameter path: the JSON Pointer of the param.
    func problem(at path: String) -> Problem {
        let code: Problem.Code =
            switch self {
            case .emailTaken, .companyName: .duplicate
            case .company: .notFound
            default: .rule
            }
        return Problem(path: path, code: code, message: message)
    }
}

extension ExecutionError {
    init(account error: AuthError) {
        switch error {
        case .password(let error): self = .invalidValues([error.problem(at: "/new_password")])
        case .wrongCurrentPassword:
            self = .invalidValues([AccountProblem.wrongPassword.problem(at: "/current_password")])
        case .noSuchCompany: self = .invalidValues([AccountProblem.company.problem(at: "/company_id")])
        default: self.init(auth: error)
        }
    }
}

extension PasswordPolicyError {
    /// This error as a problem of the parameter at `path`.
    func problem(at path: String) -> Problem {
        Problem(path: path, code: self == .tooLong ? .tooLong : .rule, message: message)
    }
}
