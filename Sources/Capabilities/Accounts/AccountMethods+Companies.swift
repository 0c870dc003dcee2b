import Auth
import DomainKit
import JSON
import PostgresDriver
import RPCServer

/// The companies of the installation: an administrator renames the own one, operators make, suspend and count them.
///
/// They cannot be called with an access key. An operator may be a member of a company that is suspended.
extension AccountMethods {
    var companyMethods: [Method] {
        [
            renameCompany, listCompanies, createCompany,
            suspension("companies.suspend", summary: "Suspend l’accès d’une société\u{202F}; rien n’est perdu.", true),
            suspension("companies.resume", summary: "Rend son accès à une société.", false), companyUsage,
        ]
    }

    private var renameCompany: Method {
        let name = MethodParameter("name", .column(Self.companyName), summary: "Son nouveau nom.")
        return Method(
            name: "companies.update", summary: "Renomme sa société.", rights: .roles([.admin], of: roles),
            parameters: [name], result: .namedCompany, acceptsAccessKeys: false,
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    try await mapError(
                        async: await identity.renameCompany(
                            to: params[name], by: caller, on: terms, deadline: call.context.deadline), companyError)
                    return .value(["id": .number(String(caller.company)), "name": .string(params[name])])
                }
            })
    }

    private var listCompanies: Method {
        Method(
            name: "companies.list", summary: "Les sociétés de l’installation, par leur nom.", rights: .operators,
            parameters: [], result: .companySummaries, acceptsAccessKeys: false, servesSuspended: true
        ) { [self] (_, call) throws(CallError) in
            let caller = try caller(of: call)
            return .work { call throws(ExecutionError) in
                let companies = try await mapError(
                    async: await identity.listCompanies(for: caller, deadline: call.context.deadline),
                    ExecutionError.init(account:))
                return .value(["items": .array(companies.map(\.value))])
            }
        }
    }

    private var createCompany: Method {
        let name = MethodParameter("name", .column(Self.companyName), summary: "Son nom.")
        let email = MethodParameter(
            "admin_email", .column(accounts.knownColumn("email")),
            summary: "L’adresse de son premier administrateur, qu’un courriel invite.")
        return Method(
            name: "companies.create", summary: "Crée une société et invite son premier administrateur.",
            rights: .operators, parameters: [name, email], result: .companySummary, errors: [.unavailable],
            rules: [Self.servesSeveral], acceptsAccessKeys: false, servesSuspended: true,
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    guard invites else { throw Self.withoutMail }
                    let made = try await mapError(
                        async: await identity.createCompany(
                            named: params[name], admin: params[email], by: caller, on: terms,
                            deadline: call.context.deadline), companyError)
                    guard let made else { throw .notFound(Self.companyNoun) }
                    return .value(made.value)
                }
            })
    }

    private func suspension(_ name: String, summary: String, _ isSuspended: Bool) -> Method {
        let identifier = MethodParameter("id", .identifier, summary: "La société.")
        return Method(
            name: name, summary: summary, rights: .operators, parameters: [identifier], result: .companySummary,
            rules: isSuspended ? [] : [Self.stays, Self.isKept], acceptsAccessKeys: false, servesSuspended: true,
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    let found = try await mapError(
                        async: await identity.suspendCompany(
                            Int64(params[identifier]) ?? 0, isSuspended, by: caller, on: terms,
                            deadline: call.context.deadline), companyError)
                    guard let found else { throw .notFound(Self.companyNoun) }
                    return .value(found.value)
                }
            })
    }

    private var companyUsage: Method {
        let start = MethodParameter(
            "du", .verified(.field(.date, example: "2026-05-01")), summary: "Le premier jour, à l’heure du service.")
        let end = MethodParameter(
            "au", .verified(.field(.date, example: "2026-05-31")), summary: "Le dernier jour, compris.")
        return Method(
            name: "companies.usage", summary: "Ce que chaque société a utilisé, pour les factures.",
            rights: .operators, parameters: [start, end], result: .companyUsage, acceptsAccessKeys: false,
            servesSuspended: true,
            check: { params, _ in
                // Days are written with as many digits, so that texts compare as they do.
                guard let first = params.valid(start), let last = params.valid(end), last < first else { return [] }
                return [AccountProblem.period.problem(at: "/au")]
            },
            plan: { [self] (params, call) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    let usage = try await mapError(
                        async: await identity.companyUsage(
                            from: params[start], to: params[end], for: caller, deadline: call.context.deadline),
                        ExecutionError.init(account:))
                    return .value(["items": .array(usage.map(\.value))])
                }
            })
    }

    /// An error of a write of companies, at the parameter that it is about.
    private func companyError(_ error: AuthError) -> ExecutionError {
        guard case .database(let cause) = error, let constraint = cause.server?.constraint else {
            return ExecutionError(account: error)
        }
        switch constraint {
        case "companies_name_key": return .notUnique(AccountProblem.companyName.problem(at: "/name"))
        case "companies_name_check": return .invalidValues([AccountProblem.unreadableName.problem(at: "/name")])
        case Self.servesSeveral.constraint:
            return .conflict(reason: Self.notEnabled, message: AccountProblem.oneCompany, facts: JSONObject())
        case Self.stays.constraint:
            return .conflict(reason: Self.moved, message: AccountProblem.movedCompany, facts: JSONObject())
        case Self.isKept.constraint:
            return .conflict(reason: Self.erasing, message: AccountProblem.erasedCompany, facts: JSONObject())
        default:
            let problem = accounts.problem(forConstraint: constraint, given: JSONObject(), at: "")
            return problem.map {
                .invalidValues([Problem(path: "/admin_email", code: $0.code, message: $0.message)])
            } ?? ExecutionError(account: error)
        }
    }

    private static let companyNoun = Noun("société", plural: "sociétés", feminine: true)
    private static let companyName = Column(
        "name", .text(maxLength: 100), nullable: false, summary: "École de voile de la Digue")
    private static let notEnabled = "not_enabled"
    /// Only the database knows whether the installation serves several companies.
    private static let servesSeveral = Rule(
        constraint: "companies_not_enabled", columns: [], message: AccountProblem.oneCompany,
        effect: .conflict(reason: notEnabled), holds: nil)
    private static let moved = "moved"
    /// One that has moved is not served here again.
    private static let stays = Rule(
        constraint: "company_moved", columns: [], message: AccountProblem.movedCompany,
        effect: .conflict(reason: moved), holds: nil)
    private static let erasing = "erasing"
    /// One that is being erased is not served again.
    private static let isKept = Rule(
        constraint: "companies_erasing_check", columns: [], message: AccountProblem.erasedCompany,
        effect: .conflict(reason: erasing), holds: nil)
}

extension CompanySummary {
    fileprivate var value: JSONValue {
        [
            "id": .number(String(id)), "name": .string(name), "members": .integer(members),
            "created_at": .string(createdAt), "suspended": .bool(isSuspended),
        ]
    }
}

extension CompanyUsage {
    fileprivate var value: JSONValue {
        [
            "id": .number(String(id)), "name": .string(name), "members": .integer(members),
            "sign_ins": .integer(signIns), "records": .integer(records), "documents": .integer(documents),
            "signatures": .integer(signatures), "messages": .integer(messages), "bytes": .integer(bytes),
        ]
    }
}
