import Auth
import DomainKit

/// Where somebody who forgot a password is helped.
package protocol PasswordResetQueue: Sendable {
    /// Takes note of a request; what becomes of it nobody is told, and it takes no time here.
    ///
    /// - Returns: false when too many are waiting already.
    func takeRequest(email: String) -> Bool
}

/// Forgotten passwords. Whoever asks gets the same answer after the same work, account or not: what depends on that
/// happens behind the desk.
extension AccountMethods {
    var requestPasswordReset: Method {
        Method(
            name: "auth.request_password_reset",
            summary: "Envoie un lien pour choisir un nouveau mot de passe, si le compte existe.", rights: .anyone,
            parameters: [.init("email", .text, required: true, summary: "L'adresse du compte, sans égard à la casse.")],
            result: .empty, failures: [.rateLimited, .unavailable]
        ) { [self] (params, _) throws(CallFailure) in
            var reader = ParameterReader(params)
            let email = reader.text("email")
            try reader.finish()
            return .account { call throws(ExecutionFault) in
                guard let resetQueue else { throw .unavailable(cause: "SMTP_URL is not set: no mail can be sent") }
                do throws(AuthError) {
                    try await identity.admitPasswordReset(
                        remoteAddress: call.context.remoteAddress, deadline: call.context.deadline)
                } catch {
                    throw ExecutionFault(error)
                }
                guard resetQueue.takeRequest(email: email) else {
                    throw .unavailable(cause: "too many mails are waiting to be sent")
                }
                return .value([:])
            }
        }
    }

    var resetPassword: Method {
        Method(
            name: "auth.reset_password",
            summary: "Choisit un nouveau mot de passe\u{A0}; toutes les connexions du compte prennent fin.",
            rights: .anyone,
            parameters: [
                .init(
                    "token", .secret, required: true, summary: "Celui du lien reçu, bon une fois pendant 30 minutes."),
                .init("new_password", .newPassword, required: true, summary: "Le nouveau."),
            ],
            result: .empty, failures: [.rateLimited]
        ) { [self] (params, _) throws(CallFailure) in
            var reader = ParameterReader(params)
            let token = reader.text("token")
            let new = reader.text("new_password")
            // What shows by itself; that it is not the account's e-mail shows once the account is known.
            if params["new_password"]?.text != nil, let fault = PasswordPolicy.violation(in: new, email: "") {
                reader.add(fault.problem(at: "/new_password"))
            }
            try reader.finish()
            return .account { call throws(ExecutionFault) in
                let isDone: Bool
                do throws(AuthError) {
                    isDone = try await identity.resetPassword(
                        token: token, new: new, remoteAddress: call.context.remoteAddress,
                        deadline: call.context.deadline)
                } catch {
                    throw ExecutionFault(error)
                }
                guard isDone else {
                    let message = "Demandez un nouveau lien\u{A0}: celui-ci a servi, a expiré ou n'est pas le bon."
                    throw .invalidValues([Problem(path: "/token", code: .rule, message: message)])
                }
                return .value([:])
            }
        }
    }
}
