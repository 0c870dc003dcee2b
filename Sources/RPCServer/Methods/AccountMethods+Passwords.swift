import Auth
import DomainKit
import JSON
import PostgresDriver
import QueryCompiler

/// Accepts requests to reset a password and mails the links.
package protocol PasswordResetQueue: Sendable {
    /// Adds a request for the account with this e-mail address, if there is one. Returns at once, in the same time with
    /// and without an account.
    ///
    /// - Returns: false if the queue is full.
    func enqueue(email: String) -> Bool
}

/// Changing and resetting passwords, invitations, and the writes to account records that concern them.
extension AccountMethods {
    var changePassword: Method {
        let current = MethodParameter("current_password", .secret, summary: "Le mot de passe actuel.")
        let new = MethodParameter("new_password", .newPassword, summary: "Le nouveau.")
        return Method(
            name: "auth.change_password",
            summary: "Change son mot de passe\u{202F}; les autres connexions prennent fin.",
            rights: .signedIn, parameters: [current, new], result: .empty, errors: [.rateLimited],
            acceptsAccessKeys: false,
            write: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    try await mapError(
                        async: await identity.changePassword(
                            of: caller, current: params[current], new: params[new],
                            remoteAddress: call.context.remoteAddress, on: terms, deadline: call.context.deadline),
                        ExecutionError.init(auth:))
                    return .value([:])
                }
            })
    }

    // MARK: Forgotten passwords

    /// The response and its time are the same with and without an account of that address. What depends on the account
    /// happens in the queue.
    var requestPasswordReset: Method {
        let email = MethodParameter(
            "email", .accountEmail, summary: "L’adresse du compte, sans égard à la casse.")
        return Method(
            name: "auth.request_password_reset",
            summary: "Envoie un lien pour choisir un nouveau mot de passe, si le compte existe.", rights: .anyone,
            parameters: [email], result: .empty, errors: [.rateLimited, .unavailable]
        ) { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                guard let resetQueue else { throw .unavailable(cause: "SMTP_URL is not set: no mail can be sent") }
                try await mapError(
                    async: await identity.admitPasswordReset(
                        remoteAddress: call.context.remoteAddress, deadline: call.context.deadline),
                    ExecutionError.init(auth:))
                guard resetQueue.enqueue(email: params[email]) else {
                    throw .unavailable(cause: "too many mails are waiting to be sent")
                }
                return .value([:])
            }
        }
    }

    var resetPassword: Method {
        let token = MethodParameter(
            "token", .secret,
            summary: "Celui du lien reçu, bon une fois\u{202F}: pendant 30 minutes, ou 7 jours dans une invitation.")
        let new = MethodParameter("new_password", .newPassword, summary: "Le nouveau.")
        return Method(
            name: "auth.reset_password",
            summary: "Choisit un nouveau mot de passe\u{202F}; toutes les connexions du compte prennent fin.",
            rights: .anyone, parameters: [token, new], result: .empty, errors: [.rateLimited]
        ) { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                let isDone = try await mapError(
                    async: await identity.resetPassword(
                        token: params[token], new: params[new], remoteAddress: call.context.remoteAddress,
                        deadline: call.context.deadline),
                    ExecutionError.init(auth:))
                guard isDone else { throw .invalidValues([ParameterProblem.resetToken.problem(at: "/token")]) }
                return .value([:])
            }
        }
    }

    // MARK: Account records

    /// `method`, with the additions that writes to account records need: a new account may be created with its password
    /// or is invited to choose one, and an account loses its tokens when its roles or its state change.
    ///
    /// They cannot be called with a key. Otherwise a stolen key could create an administrator, or give an account another
    /// address, and have a password set by mail: what it made would outlive its revocation.
    func completed(_ method: Method) -> Method {
        if let accountRoles, ["create", "delete"].contains(where: { method.name == "\(accountRoles.name).\($0)" }) {
            return method.replacingChange(acceptsAccessKeys: false, changeRolesAndRevoke)
        }
        return switch method.name {
        case "\(accounts.name).create":
            method.replacingChange(
                taking: password, errors: [.rateLimited], acceptsAccessKeys: false, createWithPassword)
        case "\(accounts.name).update": method.replacingChange(acceptsAccessKeys: false, updateAndRevoke)
        case "\(accounts.name).invite_again":
            method.replacingChange(errors: [.unavailable], acceptsAccessKeys: false, inviteIfPossible)
        default: method
        }
    }

    private func inviteIfPossible(_ original: @escaping Method.ChangePlanning) -> Method.ChangePlanning {
        { [invites] (params, call, mode) throws(CallError) in
            let change = try original(params, call, mode)
            guard invites else {
                throw .execution(.unavailable(cause: "SMTP_URL is not set: no mail can be sent"))
            }
            return change
        }
    }

    private var password: MethodParameter<String?> {
        MethodParameter(
            optional: "password", .newPassword,
            summary: "Le mot de passe\u{202F}; sans lui, un courriel invite à en choisir un.")
    }

    private func updateAndRevoke(_ original: @escaping Method.ChangePlanning) -> Method.ChangePlanning {
        { [self] (params, call, mode) throws(CallError) in
            let change = try original(params, call, mode)
            guard var write = change as? CallPlan.Write else { return change }
            write.afterCommit = { id, call throws(ExecutionError) in
                guard let account = id.flatMap({ Int64($0) }) else { return }
                try await mapError(async: await identity.accountChanged(account, deadline: call.context.deadline)) {
                    (error: AuthError) in
                    // The record is written, but the old tokens may still be accepted.
                    ExecutionError.outcomeUnknown(cause: "after the change of an account: \(error)")
                }
            }
            return write
        }
    }

    private func changeRolesAndRevoke(_ original: @escaping Method.ChangePlanning) -> Method.ChangePlanning {
        { [self] (params, call, mode) throws(CallError) in
            let change = try original(params, call, mode)
            guard var write = change as? CallPlan.Write else { return change }
            write.afterCommit = { _, call throws(ExecutionError) in
                try await mapError(async: await identity.rolesChanged(deadline: call.context.deadline)) {
                    (error: AuthError) in
                    ExecutionError.outcomeUnknown(cause: "after the change of an account's roles: \(error)")
                }
            }
            return write
        }
    }

    private func createWithPassword(_ original: @escaping Method.ChangePlanning) -> Method.ChangePlanning {
        { [self] (params, call, mode) throws(CallError) in
            guard case .object(let values) = params.object["values"] else { return try original(params, call, mode) }
            let columns = JSONObject(values.members.filter { $0.name != password.name })
            let email = columns["email"]?.text ?? ""
            let (secret, problems) = newPassword(in: values, email: email)
            let columnParams = Params(params.object.replacing("values", by: .object(columns)))
            let change = try mapError(original(columnParams, call, mode)) { (error: CallError) in
                error.joined(to: problems)
            }
            guard problems.isEmpty else { throw .params(problems) }
            guard var write = change as? CallPlan.Write else { return change }
            guard let secret else {
                // Who gives an account its password tells its owner.
                if invites { write.followUp = { _ throws(ExecutionError) in AuthService.invitationStep } }
                return write
            }
            // The role that creates accounts may not write secrets, but it may execute a function that does. The
            // function runs in the same transaction, so the account is created with its password or not at all.
            write.followUp = { call throws(ExecutionError) in
                try await mapError(
                    async: await identity.initialPasswordStep(secret, email: email, deadline: call.context.deadline),
                    ExecutionError.init(auth:))
            }
            return write
        }
    }

    /// The password among the values of a new account, if there is a valid one, and its problems.
    private func newPassword(in values: JSONObject, email: String) -> (String?, [Problem]) {
        let params = Params(values, [password], at: "/values")
        guard let given = params.valid(password), let given else { return (nil, params.problems) }
        let violation = PasswordPolicy.violation(in: given, email: email)
        return (given, violation.map { [$0.problem(at: "/values/password")] } ?? [])
    }
}

extension JSONObject {
    fileprivate func replacing(_ name: String, by value: JSONValue) -> JSONObject {
        JSONObject(members.map { $0.name == name ? Member(name, value) : $0 })
    }
}
