import Auth
import DomainKit
import JSON
import RPCServer

/// Invitations to a company, which the person accepts who got the mail.
extension AccountMethods {
    var invitationMethods: [Method] { [readInvitation, acceptInvitation] }

    private static let invitationToken = MethodParameter(
        "token", .secret, summary: "Celui du lien reçu, bon une fois, pendant 7 jours.")
    private static let noInvitation = Noun("invitation", plural: "invitations", feminine: true)

    private var readInvitation: Method {
        Method(
            name: "auth.invitation", summary: "À quelle société un lien invite, et qui.", rights: .anyone,
            parameters: [Self.invitationToken], result: .invitation, errors: [.notFound, .rateLimited, .forbidden]
        ) { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                let invitation = try await mapError(
                    async: await identity.companyInvitation(
                        token: params[Self.invitationToken], remoteAddress: call.context.remoteAddress,
                        deadline: call.context.deadline), ExecutionError.init(account:))
                guard let invitation else { throw .notFound(Self.noInvitation) }
                return .value([
                    "company": ["id": .number(String(invitation.company)), "name": .string(invitation.name)],
                    "email": .string(invitation.email), "has_password": .bool(invitation.hasPassword),
                ])
            }
        }
    }

    private var acceptInvitation: Method {
        let password = MethodParameter(
            optional: "password", .secret,
            summary:
                "Le mot de passe du compte, ou le premier d’un compte qui n’en a pas\u{202F}; inutile avec un jeton"
                + " d’accès de ce compte.")
        return Method(
            name: "auth.accept_invitation", summary: "Rejoint la société à laquelle un lien invite.",
            rights: .anyoneOrSignedIn, parameters: [Self.invitationToken, password], result: .joinedCompany,
            errors: [.notFound, .rateLimited, .forbidden], servesSuspended: true
        ) { [self] (params, call) throws(CallError) in
            let user = call.caller?.user
            return .work { call throws(ExecutionError) in
                let deadline = call.context.deadline
                let joined = try await mapError(
                    async: await identity.acceptInvitation(
                        token: params[Self.invitationToken], password: params[password], as: user,
                        remoteAddress: call.context.remoteAddress, deadline: deadline)
                ) { (error: AuthError) -> ExecutionError in
                    switch error {
                    case .password(let error): .invalidValues([error.problem(at: "/password")])
                    case .invalidCredentials:
                        .invalidValues([AccountProblem.wrongPassword.problem(at: "/password")])
                    default: ExecutionError(account: error)
                    }
                }
                guard let joined else { throw .notFound(Self.noInvitation) }
                let found = try await mapError(
                    async: await identity.companies(of: joined.account, deadline: deadline),
                    ExecutionError.init(account:))
                return .value(.object(JSONObject(found.members(entering: joined.company))))
            }
        }
    }
}
