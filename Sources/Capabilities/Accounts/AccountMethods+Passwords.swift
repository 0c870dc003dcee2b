import Auth
import DomainKit
import JSON
import Outbox
import PostgresDriver
import QueryCompiler
import RPCServer

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
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    try await mapError(
                        async: await identity.changePassword(
                            of: caller, current: params[current], new: params[new],
                            remoteAddress: call.context.remoteAddress, on: terms, deadline: call.context.deadline),
                        ExecutionError.init(account:))
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
                    ExecutionError.init(account:))
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
                    ExecutionError.init(account:))
                guard isDone else { throw .invalidValues([AccountProblem.resetToken.problem(at: "/token")]) }
                return .value([:])
            }
        }
    }

    // MARK: Account records

    /// What writes of account records need beside the columns, by the names of the methods: a new account may be created with its
    /// password or is invited to choose one, and an account loses its tokens when its roles or its state change.
    ///
    /// They cannot be called with a key. Otherwise a stolen key could create an administrator, or give an account another
    /// address, and have a password set by mail: what it made would outlive its revocation.
    var writeExtensions: [String: WriteExtension] {
        var extensions = [
            "\(accounts.name).create": WriteExtension(
                members: [password], errors: [.rateLimited, .unavailable], hook: initialPassword),
            "\(accounts.name).update": WriteExtension { [identity] _, _, _ in
                WriteHook(committed: { id, call throws(ExecutionError) in
                    guard let id = id.flatMap({ Int64($0) }) else { return }
                    let member = Member(company: call.company.id, id: id)
                    try await mapError(async: await identity.accountChanged(member, deadline: call.context.deadline)) {
                        (error: AuthError) in
                        // The record is written, but the old tokens may still be accepted.
                        ExecutionError.outcomeUnknown(cause: "after the change of an account: \(error)")
                    }
                })
            },
            "\(accounts.name).delete": WriteExtension { [identity] _, _, _ in
                WriteHook(committed: { id, call throws(ExecutionError) in
                    guard let id = id.flatMap({ Int64($0) }) else { return }
                    let member = Member(company: call.company.id, id: id)
                    try await mapError(async: await identity.memberRemoved(member, deadline: call.context.deadline)) {
                        (error: AuthError) in
                        ExecutionError.outcomeUnknown(cause: "after the removal of a member: \(error)")
                    }
                })
            },
            "\(accounts.name).invite_again": WriteExtension(errors: [.unavailable]) {
                [invites] (_, _, _) throws(CallError) in
                guard invites else {
                    throw .execution(Self.withoutMail)
                }
                return WriteHook()
            },
        ]
        guard let accountRoles else { return extensions }
        for operation in ["create", "delete"] {
            extensions["\(accountRoles.name).\(operation)"] = WriteExtension { [identity] _, _, _ in
                WriteHook(committed: { _, call throws(ExecutionError) in
                    try await mapError(async: await identity.rolesChanged(deadline: call.context.deadline)) {
                        (error: AuthError) in
                        ExecutionError.outcomeUnknown(cause: "after the change of an account's roles: \(error)")
                    }
                })
            }
        }
        return extensions
    }

    /// No mail can invite anybody.
    static let withoutMail = ExecutionError.notConfigured(message: AccountProblem.withoutMailServer)

    private var password: MethodParameter<String?> {
        MethodParameter(
            optional: "password", .newPassword,
            summary: "Le mot de passe\u{202F}; sans lui, un courriel invite à en choisir un.")
    }

    /// Gives a new account its password, or else invites it to choose one.
    ///
    /// The role that creates accounts may not write secrets, but it may execute a function that does. The function runs in the
    /// same transaction, so the account is created with its password or not at all.
    private func initialPassword(
        _ params: Params, _ members: Params, _ call: Call
    ) throws(CallError) -> WriteHook {
        guard members.problems.isEmpty else { throw .params(members.problems) }
        // Who gives an account its password tells its owner.
        let isGiven = if case .some(.some) = members.valid(password) { true } else { false }
        // A person whose password an administrator knows could be entered in another company.
        if isGiven, executor.installation.servesSeveral {
            throw .params([AccountProblem.passwordOfPerson.problem(at: "/values/password")])
        }
        guard case .some(.some(let secret)) = members.valid(password) else {
            guard invites else {
                // With one company a command of the installation gives the password. With several the person alone joins.
                if executor.installation.servesSeveral { throw .execution(Self.withoutMail) }
                return WriteHook()
            }
            return WriteHook(after: { _ throws(ExecutionError) in [AuthService.invitationStep] })
        }
        let email = members.object["email"]?.text ?? ""
        if let violation = PasswordPolicy.violation(in: secret, email: email) {
            throw .params([violation.problem(at: "/values/password")])
        }
        return WriteHook(after: { [identity] call throws(ExecutionError) in
            [
                try await mapError(
                    async: await identity.initialPasswordStep(secret, email: email, deadline: call.context.deadline),
                    ExecutionError.init(account:))
            ]
        })
    }
}
