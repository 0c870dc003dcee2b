import Auth
import DomainKit
import JSON
import NIOCore
import NIOHTTP1
import QueryCompiler
import TestSupport

@testable import RPCServer

/// A service without a database: methods that compute their results, and callers with fixed tokens.
struct TestService {
    let service: RPCService
    let record = CallRecord()
    /// The params of the calls of `note`.
    let notes = EventRecorder<JSONValue>()

    init(methods: [Method]? = nil, limits: EnvelopeLimits = EnvelopeLimits()) throws {
        service = RPCService(
            methods: try MethodRegistry(methods ?? Self.methods(notes)), limits: limits,
            authenticator: TestAuthenticator(),
            executor: TestExecutor())
    }

    /// The response to `body`; nil if there is none.
    func answer(_ body: String, authorization: String? = "Bearer user") async -> String? {
        var context = CallContext(requestID: "r-1", record: record)
        if let authorization {
            context = CallContext(requestID: "r-1", headers: ["Authorization": authorization], record: record)
        }
        switch await service.answer(ByteBuffer(string: body), context) {
        case .json(let buffer, _, _): return String(buffer: buffer)
        case .noContent: return nil
        }
    }

    private static func methods(_ notes: EventRecorder<JSONValue>) -> [Method] {
        [
            method("subtract", .anyone, [minuend, subtrahend]) { params in
                .number(String(params[minuend] - params[subtrahend]))
            },
            method("note", .anyone, [MethodParameter(optional: "text", .anything, summary: "")]) { params in
                notes.record(.object(params.object))
                return .object(params.object)
            },
            method("who", .signedIn, []) { _ in "someone" },
            method("rule", .roles([.admin], of: roles), [MethodParameter(optional: "law", .anything, summary: "")]) {
                _ in "done"
            },
            Method(name: "fail", summary: "", rights: .anyone, parameters: [], result: .object) { _, _ in
                .work { _ throws(ExecutionError) in throw .unexpected(cause: "an internal cause") }
            },
        ]
    }

    private static let roles = ServedRole.roles(of: Library.domain)
    private static let minuend = MethodParameter("minuend", .integer, summary: "")
    private static let subtrahend = MethodParameter("subtrahend", .integer, summary: "")

    private static func method(
        _ name: String, _ rights: Rights, _ parameters: [any DeclaredParameter],
        _ compute: @escaping @Sendable (Params) -> JSONValue
    ) -> Method {
        Method(
            name: name, summary: "", rights: rights, parameters: parameters, result: .object
        ) { params, _ in
            .work { _ throws(ExecutionError) in .value(compute(params)) }
        }
    }
}

extension ParameterType<Int> {
    static var integer: Self {
        Self(schema: FieldType.integer.givenSchema) { value, path, problems in
            guard case .number(let digits) = value, let number = Int(digits) else {
                problems.append(Problem(path: path, code: .type, message: "Donnez un nombre."))
                return nil
            }
            return number
        }
    }
}

extension ParameterType<JSONValue> {
    static var anything: Self { Self(schema: [:]) { value, _, _ in value } }
}

/// Accepts a few fixed tokens.
private struct TestAuthenticator: Authenticating {
    func caller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationError) -> Caller {
        switch authorization {
        case nil: throw .refused(.missing)
        case "Bearer user": .test(.user)
        case "Bearer admin": .test(.admin)
        case "Bearer old": throw .refused(.expired)
        case "Bearer ended": throw .refused(.revoked)
        case "Bearer offline": throw .undecided(.unavailable(cause: "the database is unavailable"))
        default: throw .refused(.invalid)
        }
    }

    func closure(for caller: Caller) -> CompanyClosure? { nil }

    func isOperator(_ caller: Caller, deadline: ContinuousClock.Instant) async throws(AuthenticationError) -> Bool {
        false
    }

    func verify(_ authorization: String?) throws(TokenError) {
        guard authorization != nil else { throw .missing }
    }

    func isStillValid(_ caller: Caller, _ authorization: String?) -> Bool { true }

    func onWithdrawal(_ observer: @escaping @Sendable (Withdrawal) -> Void) {}
}

extension Caller {
    static func test(_ role: Role) -> Caller {
        let user = AuthenticatedUser(
            member: Member(company: 1, id: 1), account: 1, signInID: "00000000-0000-4000-8000-000000000001",
            role: role.name)
        return Caller(user: user)
    }
}

extension Call {
    /// A call of `method` by an account with `role`.
    static func test(_ method: Method, _ role: Role) throws(CallError) -> Call {
        let caller = Caller.test(role)
        return Call(
            caller: caller, role: try mapError(method.actingRole(of: caller), CallError.authorisation),
            context: CallContext(requestID: "r"))
    }
}

extension ServedRole {
    /// The roles of a service that serves one domain.
    static func roles(of domain: Domain) -> [ServedRole] {
        roles(of: [domain], Planner.planners(for: domain.roles, domains: [domain]))
    }
}

/// Executes plans that need no database.
private struct TestExecutor: Executing {
    func run(_ plan: CallPlan, for call: Call) async throws(ExecutionError) -> CallResult {
        guard case .work(_, let work) = plan else { throw .unexpected(cause: "there is no database") }
        return try await work(call)
    }
}
