import Auth
import DomainKit
import QueryCompiler

/// The methods about oneself: signing in and out (in a file of their own), one's own account, password and sign-ins.
struct AccountMethods {
    let identity: AuthService
    /// The entity whose records are the accounts.
    let accounts: Entity
    let planner: Planner
    let executor: Executor
    /// Nil: there is no way to mail anything.
    let resetQueue: (any PasswordResetQueue)?

    var methods: [Method] {
        [
            login, refresh, logout, me, listSignIns, endSignIn, changePassword, requestPasswordReset, resetPassword,
            createFirstAdmin,
        ]
    }

    // MARK: Oneself

    private var me: Method {
        Method(
            name: "auth.me", summary: "Le compte qui appelle.", rights: .signedIn,
            parameters: MethodParameter.selection(of: accounts), result: .record(accounts)
        ) { [self] (params, call) throws(CallFailure) in
            let identifier = try caller(of: call).identity.userID
            let own = Object([.init("id", .number(String(identifier)))] + params.members.filter { $0.name != "id" })
            let plan = try planned { () throws(PlanError) in try planner.get(accounts, own) }
            return .account { call throws(ExecutionFault) in
                // Through the one database role that may read accounts whoever is calling.
                do throws(ExecutionFault) {
                    return .record(
                        try await executor.record(
                            plan, of: accounts.noun, on: executor.databases.accounts, by: call.context.deadline))
                } catch .notFound {
                    throw .unauthenticated(.revoked)
                }
            }
        }
    }

    private var changePassword: Method {
        Method(
            name: "auth.change_password", summary: "Change son mot de passe\u{A0}; les autres connexions prennent fin.",
            rights: .signedIn,
            parameters: [
                .init("current_password", .secret, required: true, summary: "Le mot de passe actuel."),
                .init("new_password", .newPassword, required: true, summary: "Le nouveau."),
            ],
            result: .empty, failures: [.rateLimited]
        ) { [self] (params, call) throws(CallFailure) in
            var reader = ParameterReader(params)
            let current = reader.text("current_password")
            let new = reader.text("new_password")
            // What shows without knowing whose it is; that it is not the account's own e-mail is looked at later.
            if !reader.problems.contains(where: { $0.path == "/new_password" }),
                let fault = PasswordPolicy.violation(in: new, email: "")
            {
                reader.add(fault.problem(at: "/new_password"))
            }
            try reader.finish()
            let caller = try caller(of: call).identity
            return account { call throws(AuthError) in
                try await identity.changePassword(
                    of: caller, current: current, new: new, remoteAddress: call.context.remoteAddress,
                    deadline: call.context.deadline)
                return .value([:])
            }
        }
    }

    // MARK: One's sign-ins

    private var listSignIns: Method {
        Method(
            name: "auth.list_sign_ins", summary: "Ses propres connexions.", rights: .signedIn, parameters: [],
            result: .signIns
        ) { [self] (_, call) throws(CallFailure) in
            let caller = try caller(of: call).identity
            return account { call throws(AuthError) in
                let signIns = try await identity.listSignIns(of: caller, deadline: call.context.deadline)
                return .value(["items": .array(signIns.map(\.value))])
            }
        }
    }

    private var endSignIn: Method {
        Method(
            name: "auth.end_sign_in", summary: "Met fin à l'une de ses connexions.", rights: .signedIn,
            parameters: [.init("id", .uuid, required: true, summary: "Son identifiant.")], result: .empty
        ) { [self] (params, call) throws(CallFailure) in
            var reader = ParameterReader(params)
            let identifier = reader.text("id", as: .uuid)
            try reader.finish()
            let caller = try caller(of: call).identity
            return .account { call throws(ExecutionFault) in
                let isEnded: Bool
                do throws(AuthError) {
                    isEnded = try await identity.endSignIn(identifier, of: caller, deadline: call.context.deadline)
                } catch {
                    throw ExecutionFault(error)
                }
                guard isEnded else { throw .notFound(Noun("connexion", plural: "connexions", feminine: true)) }
                return .value([:])
            }
        }
    }

    // MARK: Pieces

    /// Work of the identity alone, its errors as faults of the call.
    func account(
        _ work: @escaping @Sendable (Call) async throws(AuthError) -> Answer
    ) -> Plan {
        .account { call throws(ExecutionFault) in
            do throws(AuthError) { return try await work(call) } catch { throw ExecutionFault(error) }
        }
    }

    private func caller(of call: Call) throws(CallFailure) -> Caller {
        guard let caller = call.caller else { throw .authentication(.refused(.missing)) }
        return caller
    }
}

extension SignInSummary {
    fileprivate var value: Value {
        [
            "id": .string(id), "created_at": .string(createdAt), "last_used_at": .string(lastUsedAt),
            "user_agent": userAgent.map { .string($0) } ?? .null, "current": .bool(isCurrent),
        ]
    }
}
