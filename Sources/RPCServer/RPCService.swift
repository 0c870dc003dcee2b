import Auth
import DomainKit
package import HTTPServer
import JSON
package import NIOCore
import QueryCompiler

/// The service behind `POST /rpc`.
///
/// A request passes these stages in this order, and `prepare` shows stages 2 to 5:
///
/// 1. The body is decoded into an envelope: one JSON-RPC request or a batch of them. The requests of a batch are
///    planned one after the other and executed concurrently, each on its own.
/// 2. The method is found by its name.
/// 3. The caller is authenticated by the access token, unless the method is open to everyone. Callers of a company that is suspended or
///    has moved get no further.
/// 4. The caller is authorised by the first of the method's roles that the caller holds.
/// 5. The params are checked against the method's parameters, and the call is planned. Its cost is charged to the
///    budget of the HTTP request.
/// 6. The plan is executed.
/// 7. The result, or the error of the stage that failed, is written as a JSON-RPC response.
package struct RPCService: Sendable {
    package let methods: MethodRegistry
    /// The description of the service, which `rpc.discover` returns.
    package let description: OpenRPCDescription
    /// The paths beside `POST /rpc`.
    package let endpoints: [Endpoint]
    private let limits: EnvelopeLimits
    /// Whether the reports of calls have their statements, for those that are slow.
    private let notesStatements: Bool
    private let costLimits: CallLimits
    private let authenticator: any Authenticating
    private let executor: any Executing
    /// Of bodies with large answers.
    private let turns = AccountTurns(
        atOnce: Self.largeAnswersAtOnce, perAccount: Self.largeAnswersAtOnce / 2, maxWaiting: 4_096)

    init(
        methods: MethodRegistry, description: OpenRPCDescription = .empty, endpoints: [Endpoint] = [],
        limits: EnvelopeLimits, costLimits: CallLimits = CallLimits(), authenticator: any Authenticating,
        executor: any Executing, notesStatements: Bool = false
    ) {
        self.methods = methods
        self.description = description
        self.endpoints = endpoints
        self.limits = limits
        self.costLimits = costLimits
        self.authenticator = authenticator
        self.executor = executor
        self.notesStatements = notesStatements
    }

    package func answer(_ body: ByteBuffer, _ context: CallContext) async -> RPCResponseBody {
        let prepared = await prepare(body, context)
        guard prepared.expectedBytes > Self.largeAnswer else { return await answer(prepared, context) }
        do throws(ExecutionError) {
            let caller = prepared.caller
            return try await turns.take(
                for: caller?.user.accountID ?? 0, in: caller?.company ?? .only, by: context.deadline
            ) { () throws(ExecutionError) in
                await answer(prepared, context)
            }
        } catch {
            return await answer(prepared.refused(error), context)
        }
    }

    private func answer(_ body: PreparedBody, _ context: CallContext) async -> RPCResponseBody {
        switch body {
        case .single(let call): await write(await execute(call), context)
        case .batch(let calls): await write(await execute(calls), context)
        }
    }

    /// Verifies an access token as far as that needs no database.
    func verify(_ authorization: String?) throws(TokenError) {
        try authenticator.verify(authorization)
    }

    // MARK: Bodies

    /// Larger bodies are not read, and their calls not planned, on an event loop; in bytes.
    private static let maxBodyOnLoop = 32 * 1_024

    /// An answer that is expected to have more bytes waits for a turn before its calls are executed: its rows stay in memory until
    /// it is written, and a client may ask for thousands at once.
    private static let largeAnswer = 64 * 1_024
    /// More than the database and the threads that write large answers work on at the same time.
    private static let largeAnswersAtOnce = 16

    /// The calls of a body before their execution.
    private enum PreparedBody {
        case single(PreparedCall)
        case batch([PreparedCall])

        /// With values of typical length.
        var expectedBytes: Int {
            switch self {
            case .single(let call): call.expectedBytes
            case .batch(let calls): calls.reduce(0) { $0 + $1.expectedBytes }
            }
        }

        /// That makes the calls; nil if none is known.
        var caller: Caller? {
            switch self {
            case .single(let call): call.caller
            case .batch(let calls): calls.lazy.compactMap(\.caller).first
            }
        }

        /// The same body, none of whose calls is executed.
        func refused(_ error: ExecutionError) -> PreparedBody {
            switch self {
            case .single(let call): .single(call.refused(error))
            case .batch(let calls): .batch(calls.map { $0.refused(error) })
            }
        }
    }

    private func prepare(_ body: ByteBuffer, _ context: CallContext) async -> PreparedBody {
        guard body.readableBytes > Self.maxBodyOnLoop, let executor = context.offLoop else {
            return await prepareNow(body, context)
        }
        return await withTaskExecutorPreference(executor) {
            // The body has waited for its turn, and its client may have gone.
            if Task.isCancelled {
                return .single(.answered(RPCResponse(.execution(.cancelled), identifier: .null, StageClock())))
            }
            return await prepareNow(body, context)
        }
    }

    private func prepareNow(_ body: ByteBuffer, _ context: CallContext) async -> PreparedBody {
        var clock = StageClock()
        do throws(EnvelopeError) {
            let envelope = try Envelope.decode(body, limits: limits)
            clock.lap(.decode)
            var scope = BodyScope(context: context, budget: RequestBudget(costLimits))
            switch consume envelope {
            case .single(let message): return .single(await prepare(consume message, in: &scope, clock))
            case .batch(let messages):
                scope.context = context.ofBatch
                return .batch(await prepare(consume messages, in: &scope, clock))
            }
        } catch {
            return .single(.answered(RPCResponse(.envelope(error), identifier: .null, clock)))
        }
    }

    // MARK: Messages

    /// What the messages of one body have in common.
    private struct BodyScope {
        var context: CallContext
        var budget: RequestBudget
        /// Nil until the first call needs its caller.
        var caller: Result<Caller, AuthenticationError>?
    }

    /// Plans the calls of a batch one after the other, because which call exceeds their common budget must not depend on
    /// chance.
    private func prepare(
        _ messages: consuming [RPCMessage], in scope: inout BodyScope, _ clock: StageClock
    ) async -> [PreparedCall] {
        var calls: [PreparedCall] = []
        for message in consume messages { calls.append(await prepare(message, in: &scope, clock)) }
        return calls
    }

    /// Executes the calls of a batch concurrently. The responses are in the order of the requests.
    private func execute(_ calls: [PreparedCall]) async -> [RPCResponse] {
        await withTaskGroup(of: (Int, RPCResponse).self) { group in
            for (index, call) in calls.enumerated() { group.addTask { (index, await execute(call)) } }
            var responses = [RPCResponse?](repeating: nil, count: calls.count)
            for await (index, response) in group { responses[index] = response }
            return responses.compactMap(\.self)
        }
    }

    // MARK: Stages of a call

    /// A call before its execution.
    private enum PreparedCall {
        case planned(PlannedCall)
        /// A stage has failed.
        indirect case answered(RPCResponse)

        var expectedBytes: Int { if case .planned(let planned) = self { planned.plan.cost.bytes } else { 0 } }

        var caller: Caller? { if case .planned(let planned) = self { planned.call.caller } else { nil } }

        func refused(_ error: ExecutionError) -> PreparedCall {
            guard case .planned(let planned) = self else { return self }
            var clock = planned.clock
            clock.lap(.execute)
            return .answered(RPCResponse(.execution(error), identifier: planned.identifier, clock))
        }
    }

    /// A class, because a plan has dozens of members: each copy on the way to its execution would count a reference to every one.
    private final class PlannedCall: Sendable {
        let plan: CallPlan
        let call: Call
        let identifier: RPCIdentifier?
        let clock: StageClock

        init(_ plan: CallPlan, _ call: Call, _ identifier: RPCIdentifier?, _ clock: StageClock) {
            self.plan = plan
            self.call = call
            self.identifier = identifier
            self.clock = clock
        }
    }

    /// Consumes the message: its params may take many times the memory of the body, and a statement may run for long.
    private func prepare(
        _ message: consuming RPCMessage, in scope: inout BodyScope, _ clock: StageClock
    ) async -> PreparedCall {
        switch consume message {
        case .malformed(let error, let identifier):
            return .answered(RPCResponse(.envelope(error), identifier: identifier, clock))
        case .request(let request):
            var clock = clock
            do throws(CallError) {
                let (plan, call) = try await prepare(request, in: &scope, &clock)
                return .planned(PlannedCall(plan, call, request.identifier, clock))
            } catch {
                return .answered(RPCResponse(error, identifier: request.identifier, clock))
            }
        }
    }

    private func prepare(
        _ request: RPCRequest, in scope: inout BodyScope, _ clock: inout StageClock
    ) async throws(CallError) -> (CallPlan, Call) {
        let method = try mapError(methods.method(named: request.method), CallError.method)
        clock.method = method.name

        let caller = try await authenticate(method, in: &scope)
        if let caller, !method.servesSuspended, let closure = authenticator.closure(for: caller) {
            throw .authentication(.closed(closure))
        }
        clock.lap(.authenticate)

        if case .operators = method.rights { try await checkOperator(caller, scope.context) }
        let role = try mapError(method.actingRole(of: caller), CallError.authorisation)
        try mapError(method.checkCredential(of: caller), CallError.authorisation)
        clock.lap(.authorise)

        let call = Call(caller: caller, role: role, context: scope.context)
        let plan = try method.plan(request.params, call)
        if case .batch(let batch) = plan { clock.innerMethods = batch.methods }
        try mapError(scope.budget.charge(plan.cost), CallError.limit)
        clock.lap(.plan)
        return (plan, call)
    }

    private func authenticate(_ method: Method, in scope: inout BodyScope) async throws(CallError) -> Caller? {
        guard method.rights.knowCaller(scope.context.authorization) else { return nil }
        if let known = scope.caller { return try mapError(known.get(), CallError.authentication) }
        let context = scope.context
        do throws(AuthenticationError) {
            let caller = try await authenticator.caller(context.authorization, deadline: context.deadline)
            scope.caller = .success(caller)
            context.note(caller)
            return caller
        } catch {
            scope.caller = .failure(error)
            throw .authentication(error)
        }
    }

    private func checkOperator(_ caller: Caller?, _ context: CallContext) async throws(CallError) {
        guard let caller else { throw .authentication(.refused(.missing)) }
        let isOperator = try await mapError(
            async: await authenticator.isOperator(caller, deadline: context.deadline), CallError.authentication)
        guard isOperator else { throw .authorisation(AuthorisationError()) }
    }

    private func execute(_ prepared: PreparedCall) async -> RPCResponse {
        switch prepared {
        case .answered(let response):
            return response
        case .planned(let planned):
            var clock = planned.clock
            do throws(ExecutionError) {
                let result = try await executor.run(planned.plan, for: planned.call)
                clock.lap(.execute)
                noteStatements(of: planned, &clock)
                return RPCResponse(result, identifier: planned.identifier, clock)
            } catch {
                clock.lap(.execute)
                noteStatements(of: planned, &clock)
                return RPCResponse(.execution(error), identifier: planned.identifier, clock)
            }
        }
    }

    /// A call may still prove slow while its answer is written.
    private func noteStatements(of planned: PlannedCall, _ clock: inout StageClock) {
        if notesStatements { clock.statements = CallStatements(planned.plan, for: planned.call) }
    }

    // MARK: Responses

    /// Larger responses are not written on an event loop; in bytes.
    private static let maxResponseOnLoop = 128 * 1_024

    private func write(_ response: RPCResponse, _ context: CallContext) async -> RPCResponseBody {
        let size = response.estimatedSize
        guard size > Self.maxResponseOnLoop, let executor = context.offLoop else {
            return writeNow(response, size, context)
        }
        return await withTaskExecutorPreference(executor) { writeNow(response, size, context) }
    }

    private func write(_ responses: [RPCResponse], _ context: CallContext) async -> RPCResponseBody {
        let size = responses.reduce(2) { $0 + $1.estimatedSize }
        guard size > Self.maxResponseOnLoop, let executor = context.offLoop else {
            return writeNow(responses, size, context)
        }
        return await withTaskExecutorPreference(executor) { writeNow(responses, size, context) }
    }

    private func writeNow(_ response: RPCResponse, _ size: Int, _ context: CallContext) -> RPCResponseBody {
        var buffer = context.allocator.buffer(capacity: min(size, limits.response))
        var budget = ResponseSizeBudget(max: limits.response)
        return buffer.write(response, within: &budget, context)
            ? .json(buffer, retryAfter: response.retryAfter, place: response.place)
            : .noContent(place: response.place)
    }

    private func writeNow(_ responses: [RPCResponse], _ size: Int, _ context: CallContext) -> RPCResponseBody {
        var buffer = context.allocator.buffer(capacity: min(size, limits.response))
        var budget = ResponseSizeBudget(max: limits.response)
        var isFirst = true
        for response in responses {
            let start = buffer.writerIndex
            buffer.writeStaticString(isFirst ? "[" : ",")
            if buffer.write(response, within: &budget, context) {
                isFirst = false
            } else {
                // A notification has no response, so its comma is removed again.
                buffer.moveWriterIndex(to: start)
            }
        }
        // Calls that were carried out here are not sent on: the client would make them twice.
        let places = Set(responses.map(\.place))
        let place = places.count == 1 ? places.first ?? nil : nil
        guard !isFirst else { return .noContent(place: place) }
        buffer.writeStaticString("]")
        return .json(buffer, place: place)
    }
}
