import Auth
import DomainKit
import NIOCore
import NIOHTTP1
import TestSupport

@testable import RPCServer

/// A service without database: a few methods that compute their answers, and callers known by their token.
struct TestService {
    let service: RPCService
    let record = RequestRecord()
    /// What `note` was called with.
    let notes = EventRecorder<Value>()

    init(methods: [Method]? = nil, limits: EnvelopeLimits = EnvelopeLimits()) throws {
        service = RPCService(
            methods: try MethodRegistry(methods ?? Self.methods(notes)), limits: limits,
            authenticator: TestAuthenticator(),
            executor: TestExecutor())
    }

    /// The answer to `body` as text; nil for none.
    func answer(_ body: String, authorization: String? = "Bearer user") async -> String? {
        var context = CallContext(requestID: "r-1", record: record)
        if let authorization {
            context = CallContext(requestID: "r-1", headers: ["Authorization": authorization], record: record)
        }
        switch await service.answer(ByteBuffer(string: body), context) {
        case .json(let buffer): return String(buffer: buffer)
        case .noContent: return nil
        }
    }

    private static func methods(_ notes: EventRecorder<Value>) -> [Method] {
        [
            method("subtract", .anyone, ["minuend", "subtrahend"]) { params throws(CallFailure) in
                .number(String(try integer("minuend", params) - integer("subtrahend", params)))
            },
            method("note", .anyone, ["text"]) { params throws(CallFailure) in
                .object(params)
            } then: {
                notes.record($0)
            },
            method("who", .signedIn, []) { _ throws(CallFailure) in "someone" },
            method("rule", .roles([.admin]), ["law"]) { _ throws(CallFailure) in "done" },
            Method(name: "fail", summary: "", rights: .anyone, parameters: [], result: .object) { _, _ in
                .account { _ throws(ExecutionFault) in throw .unexpected(cause: "a secret of the house") }
            },
        ]
    }

    private static func method(
        _ name: String, _ rights: Rights, _ parameters: [String],
        _ compute: @escaping @Sendable (Object) throws(CallFailure) -> Value,
        then effect: @escaping @Sendable (Value) -> Void = { _ in }
    ) -> Method {
        Method(
            name: name, summary: "", rights: rights,
            parameters: parameters.map { MethodParameter($0, .text, summary: "") }, result: .object
        ) { (params, _) throws(CallFailure) in
            let value = try compute(params)
            return .account { _ throws(ExecutionFault) in
                effect(value)
                return .value(value)
            }
        }
    }

    private static func integer(_ name: String, _ params: Object) throws(CallFailure) -> Int {
        guard case .number(let digits) = params[name], let number = Int(digits) else {
            throw .params([Problem(path: "/" + name, code: .type, message: "Donnez un nombre.")])
        }
        return number
    }
}

/// Knows a few tokens.
private struct TestAuthenticator: Authenticating {
    func caller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationFault) -> RPCServer.Caller {
        switch authorization {
        case nil: throw .refused(.missing)
        case "Bearer user": .test(.user)
        case "Bearer admin": .test(.admin)
        case "Bearer old": throw .refused(.expired)
        case "Bearer ended": throw .refused(.revoked)
        case "Bearer offline": throw .undecided(.unavailable(cause: "nobody home"))
        default: throw .refused(.invalid)
        }
    }
}

extension RPCServer.Caller {
    static func test(_ role: Role) -> RPCServer.Caller {
        let identity = AuthenticatedUser(
            userID: 1, signInID: "00000000-0000-4000-8000-000000000001", role: role.rawValue)
        return RPCServer.Caller(identity: identity, role: role)
    }
}

/// Knows plans that need no database.
private struct TestExecutor: Executing {
    func run(_ plan: Plan, for call: Call) async throws(ExecutionFault) -> Answer {
        guard case .account(let work) = plan else { throw .unexpected(cause: "no database here") }
        return try await work(call)
    }
}
