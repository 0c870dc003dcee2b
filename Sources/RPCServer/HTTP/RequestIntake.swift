import NIOCore
import NIOHTTP1

/// Puts the parts of requests together and refuses what is too much before it is held.
///
/// Pure but for the shared budget: parts in, a complete exchange or a wish for `100 Continue` out.
struct RequestIntake {
    enum Event {
        case nothing
        /// The client waits for leave to send its body.
        case continueWanted
        case complete(Exchange)
    }

    private enum State {
        case awaitingHead
        /// A body to be kept.
        case collecting(Exchange)
        /// A body nobody wants, of which so many bytes more are put up with.
        case discarding(Exchange, Int)
        /// The connection is to end: nothing that comes matters.
        case over
    }

    private var state = State.awaitingHead
    private let routes: Routes
    private let budget: ByteBudget
    private let requestIDs: RequestID
    private let maxBodyBytes: Int

    init(routes: Routes, budget: ByteBudget, requestIDs: RequestID, maxBodyBytes: Int) {
        self.routes = routes
        self.budget = budget
        self.requestIDs = requestIDs
        self.maxBodyBytes = maxBodyBytes
    }

    /// Whether a request has begun and is not complete.
    var isInside: Bool {
        switch state {
        case .collecting, .discarding: true
        case .awaitingHead, .over: false
        }
    }

    var isOver: Bool {
        if case .over = state { true } else { false }
    }

    mutating func receive(_ part: HTTPServerRequestPart) -> Event {
        switch part {
        case .head(let head): receive(head)
        case .body(let bytes): receive(bytes)
        case .end: end()
        }
    }

    /// Ends the connection's input with a refusal, of the request that is under way or of none.
    mutating func refuse(_ refusal: Refusal) -> Event {
        if isOver { return .nothing }
        guard let exchange = exchange(endingWith: .over) else {
            return .complete(.refused(refusal, requestID: requestIDs.next()))
        }
        exchange.refuse(refusal, closing: true)
        return .complete(exchange)
    }

    /// Ends the connection's input with the answer to a request of which only the first line could be read. Its
    /// method, which the client may have made up, stays out of logs and metrics.
    mutating func refuse(_ head: HTTPRequestHead) -> Event {
        guard case .awaitingHead = state else { return refuse(.malformed) }
        state = .over
        let fields = RequestFields(head.headers)
        return .complete(
            Exchange(
                requestID: requestIDs.next(), head: nil, fields: fields, route: routes.route(of: head, fields),
                closes: true))
    }

    /// Ends the connection's input; what was under way is dropped.
    mutating func stop() {
        if let exchange = exchange(endingWith: .over) { budget.give(back: exchange.reserved) }
    }

    private mutating func receive(_ head: HTTPRequestHead) -> Event {
        guard case .awaitingHead = state else { return .nothing }
        let fields = RequestFields(head.headers)
        let exchange = Exchange(
            requestID: fields.requestID ?? requestIDs.next(), head: head, fields: fields,
            route: routes.route(of: head, fields),
            closes: !head.isKeepAlive || fields.wantsUpgrade || head.method == .CONNECT)
        let awaitsLeave = fields.expectsContinue && head.version == .http1_1
        let isTooLarge = fields.contentLength ?? 0 > maxBodyBytes
        if case .rpc = exchange.destination {
            if fields.hasUnknownExpectation {
                exchange.refuse(.expectationFailed, closing: true)
                return finish(with: exchange)
            }
            if isTooLarge {
                exchange.refuse(.bodyTooLarge(max: maxBodyBytes), closing: true)
                return finish(with: exchange)
            }
            state = .collecting(exchange)
            return awaitsLeave && fields.hasBody ? .continueWanted : .nothing
        }
        if fields.hasBody, awaitsLeave || isTooLarge {
            exchange.closes = true
            return finish(with: exchange)
        }
        state = .discarding(exchange, maxBodyBytes)
        return .nothing
    }

    private mutating func receive(_ bytes: ByteBuffer) -> Event {
        let count = bytes.readableBytes
        switch state {
        case .collecting(let exchange):
            exchange.bytesReceived += count
            if exchange.bytesReceived > maxBodyBytes {
                exchange.refuse(.bodyTooLarge(max: maxBodyBytes), closing: true)
                return finish(with: exchange)
            }
            guard budget.take(count) else {
                exchange.refuse(.overloaded, closing: true)
                return finish(with: exchange)
            }
            exchange.reserved += count
            exchange.append(bytes)
        case .discarding(let exchange, let bearable):
            exchange.bytesReceived += count
            if count > bearable {
                exchange.closes = true
                return finish(with: exchange)
            }
            state = .discarding(exchange, bearable - count)
        case .awaitingHead, .over: break
        }
        return .nothing
    }

    private mutating func end() -> Event {
        guard let exchange = exchange(endingWith: .awaitingHead) else { return .nothing }
        return finish(with: exchange)
    }

    private mutating func finish(with exchange: Exchange) -> Event {
        state = exchange.closes ? .over : .awaitingHead
        return .complete(exchange)
    }

    private mutating func exchange(endingWith next: State) -> Exchange? {
        switch state {
        case .collecting(let exchange), .discarding(let exchange, _):
            state = next
            return exchange
        case .awaitingHead:
            if case .over = next { state = .over }
            return nil
        case .over: return nil
        }
    }
}

extension Exchange {
    /// A small body is copied, so that the memory it was received in serves the next read; of a larger one the first
    /// bytes are kept as they came. Further ones are copied behind them.
    fileprivate func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        if body.capacity == 0, bytes.readableBytes <= 1_024, fields.contentLength == bytes.readableBytes {
            body.writeBuffer(&bytes)
            return
        }
        if body.readableBytes == 0, body.capacity == 0 || fields.contentLength == bytes.readableBytes {
            body = bytes
            return
        }
        let needed = body.readableBytes + bytes.readableBytes
        if body.writableBytes < bytes.readableBytes {
            // A drip of small parts must not copy what is there each time.
            body.reserveCapacity(max(needed, min(fields.contentLength ?? 0, 2 * needed), 2 * body.readableBytes))
        }
        body.writeBuffer(&bytes)
    }
}
