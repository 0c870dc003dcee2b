import DomainKit
package import NIOCore

/// The service behind `POST /rpc`. Its story, in order: a body is decoded into requests; each one's method is found,
/// its caller authenticated and authorised, its params checked and planned, the plan executed, and the answer written.
/// No stage reaches back, and each has the folder of its name.
package struct RPCService: RPCAnswering {
    package let methods: MethodRegistry
    /// What the service is, for those who want to call it: what `rpc.discover` answers.
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

    package func answer(_ body: ByteBuffer, _ context: CallContext) async -> RPCAnswer {
        var clock = StageClock()
        let envelope: Envelope
        do throws(EnvelopeFault) {
            envelope = try Envelope.decode(body, limits: limits)
        } catch {
            return write(Reply(failure: .envelope(error), identifier: .null, clock), context)
        }
        clock.lap(.decode)
        switch envelope {
        case .single(let message):
            return write(await reply(to: message, context, clock), context)
        case .batch(let messages):
            return write(await replies(to: messages, context, clock), context)
        }
    }

    // MARK: Requests

    /// Members run at the same time, each alone; their replies stand in the order of the requests.
    private func replies(to messages: [Message], _ context: CallContext, _ clock: StageClock) async -> [Reply] {
        await withTaskGroup(of: (Int, Reply).self) { group in
            for (index, message) in messages.enumerated() {
                group.addTask { (index, await reply(to: message, context, clock)) }
            }
            var replies = [Reply?](repeating: nil, count: messages.count)
            for await (index, reply) in group { replies[index] = reply }
            return replies.compactMap(\.self)
        }
    }

    private func reply(to message: Message, _ context: CallContext, _ clock: StageClock) async -> Reply {
        switch message {
        case .malformed(let fault, let identifier):
            return Reply(failure: .envelope(fault), identifier: identifier, clock)
        case .request(let request):
            var clock = clock
            do throws(CallFailure) {
                let answer = try await carryOut(request, context, &clock)
                return Reply(answer: answer, identifier: request.identifier, clock)
            } catch {
                return Reply(failure: error, identifier: request.identifier, clock)
            }
        }
    }

    private func carryOut(
        _ request: Request, _ context: CallContext, _ clock: inout StageClock
    ) async throws(CallFailure) -> Answer {
        let method = try find(request.method)
        clock.method = method.name

        let caller = try await authenticate(method, context)
        clock.lap(.authenticate)

        try authorise(caller, method)
        clock.lap(.authorise)

        let call = Call(caller: caller, context: context)
        let plan = try self.plan(method, request.params, call)
        clock.lap(.plan)

        let answer = try await execute(plan, call)
        clock.lap(.execute)
        return answer
    }

    // MARK: Stages

    private func find(_ name: String) throws(CallFailure) -> Method {
        do throws(MethodFault) { return try methods.method(named: name) } catch { throw .method(error) }
    }

    private func authenticate(_ method: Method, _ context: CallContext) async throws(CallFailure) -> Caller? {
        guard method.rights.needCaller else { return nil }
        do throws(AuthenticationFault) {
            return try await authenticator.caller(context.authorization, deadline: context.deadline)
        } catch {
            throw .authentication(error)
        }
    }

    private func authorise(_ caller: Caller?, _ method: Method) throws(CallFailure) {
        do throws(AuthorisationFault) { try method.rights.check(caller) } catch { throw .authorisation(error) }
    }

    /// Names are checked first and values where they are planned; both kinds of problems are told together.
    private func plan(_ method: Method, _ params: Request.Params, _ call: Call) throws(CallFailure) -> Plan {
        let (params, misnamed) = try method.checkNames(in: params)
        let plan: Plan
        do throws(CallFailure) {
            plan = try method.plan(params, call)
        } catch {
            throw misnamed.isEmpty ? error : error.joined(by: misnamed)
        }
        guard misnamed.isEmpty else { throw .params(misnamed) }
        return plan
    }

    private func execute(_ plan: Plan, _ call: Call) async throws(CallFailure) -> Answer {
        do throws(ExecutionFault) { return try await executor.run(plan, for: call) } catch { throw .execution(error) }
    }

    // MARK: Answers

    private func write(_ reply: Reply, _ context: CallContext) -> RPCAnswer {
        var buffer = context.allocator.buffer(capacity: min(reply.estimatedSize, limits.answer))
        var room = AnswerRoom(max: limits.answer)
        return buffer.write(reply, in: &room, context) ? .json(buffer) : .noContent
    }

    private func write(_ replies: [Reply], _ context: CallContext) -> RPCAnswer {
        let size = replies.reduce(2) { $0 + $1.estimatedSize }
        var buffer = context.allocator.buffer(capacity: min(size, limits.answer))
        var room = AnswerRoom(max: limits.answer)
        var isFirst = true
        for reply in replies {
            let start = buffer.writerIndex
            buffer.writeStaticString(isFirst ? "[" : ",")
            if buffer.write(reply, in: &room, context) { isFirst = false } else { buffer.moveWriterIndex(to: start) }
        }
        guard !isFirst else { return .noContent }
        buffer.writeStaticString("]")
        return .json(buffer)
    }
}
