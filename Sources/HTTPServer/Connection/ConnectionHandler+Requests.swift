import NIOCore
import NIOHTTP1

/// The way of one request from its beginning to its response.
extension ConnectionHandler {
    func begin(_ exchange: Exchange, _ context: ChannelHandlerContext) {
        running = Running(exchange: exchange, task: nil)
        switch exchange.destination {
        case .response(let response):
            let isLong = exchange.encoding(server.configuration, context.channel.allocator).isLong(for: response)
            if isLong { run(exchange, context) { (response, nil) } } else { finish(exchange, with: response) }
        case .error(let error):
            finish(exchange, with: server.handler.response(to: error, requestID: exchange.requestID))
        case .responder(let responder, let subpath, _):
            let request = EndpointRequest(
                requestContext(of: exchange, context), method: exchange.head?.method ?? .GET,
                target: exchange.head?.uri ?? "", subpath: subpath, headers: exchange.head?.headers ?? [:],
                body: exchange.body)
            run(exchange, context) {
                let response = await responder(request)
                return (response, response.record)
            }
        case .handler:
            let request = requestContext(of: exchange, context)
            let handler = server.handler
            let body = exchange.body
            run(exchange, context) {
                let response = await handler.respond(to: body, request)
                var answer = response.body.map(HTTPResponse.json) ?? .noContent
                if let location = response.location {
                    answer.status = .permanentRedirect
                    answer.headers.append((name: "Location", value: location))
                }
                if let seconds = response.retryAfter {
                    answer.headers.append((name: "Retry-After", value: String(seconds)))
                }
                if let timing = response.serverTiming {
                    answer.headers.append((name: "Server-Timing", value: timing))
                }
                if let cookie = response.setCookie { answer.headers.append((name: "Set-Cookie", value: cookie)) }
                return (answer, response.record)
            }
        }
    }

    private func requestContext(of exchange: Exchange, _ context: ChannelHandlerContext) -> RequestContext {
        let address = share.clientAddress(of: exchange.head)
        return RequestContext(
            requestID: exchange.requestID, exchange.headers, of: exchange.head?.headers ?? [:],
            isSecure: server.isSecure, remoteAddress: address, hidesClient: share.hidesClient(of: exchange.head),
            trace: exchange.trace,
            deadline: exchange.times?.deadline ?? .now + server.configuration.requestDeadline,
            allocator: context.channel.allocator, offLoop: share.offLoop(for: address))
    }

    private func run(
        _ exchange: Exchange, _ context: ChannelHandlerContext,
        _ operation: @escaping @Sendable () async -> (HTTPResponse, (any RequestRecord)?)
    ) {
        let bound = NIOLoopBound((self, exchange), eventLoop: loop.eventLoop)
        let server = server
        let encoding = exchange.encoding(server.configuration, context.channel.allocator)
        server.taskStarted()
        let task = Task.immediate(executorPreference: loop.executor) {
            var (response, record) = await operation()
            if encoding.isLong(for: response) {
                let share = bound.value.0.share
                let offLoop = share.offLoop(for: share.clientAddress(of: bound.value.1.head))
                response = await withTaskExecutorPreference(offLoop) { [response] in
                    await encoding.encoded(response)
                }
            }
            // The preferred executor is the event loop's, so this is the connection's own thread.
            let (connection, exchange) = bound.value
            exchange.record = record
            connection.finish(exchange, with: response)
            server.taskEnded()
        }
        // The task may have ended already.
        if running?.exchange === exchange { running?.task = task }
    }

    private func finish(_ exchange: Exchange, with response: HTTPResponse) {
        running = nil
        if let begin = response.stream, exchange.head?.method != .HEAD {
            return beginStream(of: response, for: exchange, begin)
        }
        guard let context, case .write(let isLast) = machine.responseReady(closes: exchange.closes, now: loop.now)
        else {
            release(exchange, status: RequestEvent.clientGone, bytesSent: 0)
            return
        }
        let (status, bytesSent) = writer.write(response, to: exchange, isLast: isLast, context)
        release(exchange, status: status, bytesSent: bytesSent)
        responseWritten(context)
    }

    /// Reports the response to the machine when all of it is with the channel.
    func responseWritten(_ context: ChannelHandlerContext) {
        if writer.isComplete { perform(machine.responseWritten()) } else { writer.flush(context) }
        noteActivity()
    }

    /// A slice of a large response has left. The next one is written in a later tick, so that other connections have theirs.
    func continueInLaterTick() {
        noteActivity()
        if context != nil, !writer.isComplete { loop.resumeInLaterTick(self) }
    }

    /// Releases what an exchange held and reports it to the observers.
    func release(_ exchange: Exchange, status: Int, bytesSent: Int) {
        share.release(exchange)
        guard !server.observers.isEmpty else { return }
        let event = RequestEvent(
            requestID: exchange.requestID, httpMethod: exchange.head?.method.knownName ?? "-", path: exchange.path,
            status: status, record: exchange.record,
            nanoseconds: exchange.times.map { (.now() - $0.completed).nanoseconds } ?? 0,
            bytesReceived: exchange.bytesReceived, bytesSent: bytesSent, remoteAddress: share.remoteAddress,
            trace: exchange.trace)
        for observer in server.observers { observer.observe(event) }
    }
}

extension HTTPMethod {
    /// The method's name; `-` for an unregistered one, so that no text of a client becomes a label.
    fileprivate var knownName: String {
        if case .RAW = self { "-" } else { rawValue }
    }
}
