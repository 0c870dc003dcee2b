import Auth
import DomainKit
import JSON
package import NIOCore

/// The service behind `POST /rpc`.
///
/// A request passes these stages in this order, and `call` shows stages 2 to 6:
///
/// 1. The body is decoded into an envelope: one JSON-RPC request or a batch of them. The requests of a batch are
///    executed concurrently, each on its own.
/// 2. The method is found by its name.
/// 3. The caller is authenticated by the access token, unless the method is open to everyone.
/// 4. The caller is authorised by the role that the method demands.
/// 5. The params are checked against the method's parameters, and the call is planned.
/// 6. The plan is executed.
/// 7. The result, or the error of the stage that failed, is written as a JSON-RPC response.
package struct RPCService: Sendable {
    package let methods: MethodRegistry
    /// The description of the service, which `rpc.discover` returns.
    package let document: OpenRPCDocument
    private let limits: EnvelopeLimits
    private let authenticator: any Authenticating
    private let executor: any Executing

    init(
        methods: MethodRegistry, document: OpenRPCDocument = .empty, limits: EnvelopeLimits,
        authenticator: any Authenticating, executor: any Executing
    ) {
        self.methods = methods
        self.document = document
        self.limits = limits
        self.authenticator = authenticator
        self.executor = executor
    }

    package func answer(_ body: ByteBuffer, _ context: CallContext) async -> RPCResponseBody {
        var clock = StageClock()
        do throws(EnvelopeError) {
            let envelope = try Envelope.decode(body, limits: limits)
            clock.lap(.decode)
            switch envelope {
            case .single(let message): return write(await respond(to: message, context, clock), context)
            case .batch(let messages): return write(await respond(to: messages, context, clock), context)
            }
        } catch {
            return write(RPCResponse(.envelope(error), identifier: .null, clock), context)
        }
    }

    /// Verifies an access token as far as that needs no database.
    func verify(_ authorization: String?) throws(TokenError) {
        try authenticator.verify(authorization)
    }

    // MARK: Messages

    /// Executes a batch concurrently. The responses are in the order of the requests.
    private func respond(
        to messages: [RPCMessage], _ context: CallContext, _ clock: StageClock
    ) async -> [RPCResponse] {
        await withTaskGroup(of: (Int, RPCResponse).self) { group in
            for (index, message) in messages.enumerated() {
                group.addTask { (index, await respond(to: message, context, clock)) }
            }
            var responses = [RPCResponse?](repeating: nil, count: messages.count)
            for await (index, response) in group { responses[index] = response }
            return responses.compactMap(\.self)
        }
    }

    private func respond(to message: RPCMessage, _ context: CallContext, _ clock: StageClock) async -> RPCResponse {
        switch message {
        case .malformed(let error, let identifier):
            return RPCResponse(.envelope(error), identifier: identifier, clock)
        case .request(let request):
            var clock = clock
            do throws(CallError) {
                let result = try await call(request, context, &clock)
                return RPCResponse(result, identifier: request.identifier, clock)
            } catch {
                return RPCResponse(error, identifier: request.identifier, clock)
            }
        }
    }

    // MARK: Stages of a call

    private func call(
        _ request: RPCRequest, _ context: CallContext, _ clock: inout StageClock
    ) async throws(CallError) -> CallResult {
        let method = try mapError(methods.method(named: request.method), CallError.method)
        clock.method = method.name

        let caller = try await authenticate(method, context)
        clock.lap(.authenticate)

        try mapError(method.rights.check(caller), CallError.authorisation)
        clock.lap(.authorise)

        let call = Call(caller: caller, context: context)
        let plan = try method.plan(request.params, call)
        clock.lap(.plan)

        let result = try await mapError(async: await executor.run(plan, for: call), CallError.execution)
        clock.lap(.execute)
        return result
    }

    private func authenticate(_ method: Method, _ context: CallContext) async throws(CallError) -> Caller? {
        guard method.rights.needCaller else { return nil }
        return try await mapError(
            async: await authenticator.caller(context.authorization, deadline: context.deadline),
            CallError.authentication)
    }

    // MARK: Responses

    private func write(_ response: RPCResponse, _ context: CallContext) -> RPCResponseBody {
        var buffer = context.allocator.buffer(capacity: min(response.estimatedSize, limits.response))
        var budget = ResponseSizeBudget(max: limits.response)
        return buffer.write(response, within: &budget, context) ? .json(buffer) : .noContent
    }

    private func write(_ responses: [RPCResponse], _ context: CallContext) -> RPCResponseBody {
        let size = responses.reduce(2) { $0 + $1.estimatedSize }
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
        guard !isFirst else { return .noContent }
        buffer.writeStaticString("]")
        return .json(buffer)
    }
}
