import NIOCore
import NIOHTTP1

/// Puts the parts of requests together, and turns a request away as soon as it is known to be unacceptable, so that no
/// more of it is kept in memory.
///
/// Has no side effect but on the connection's share of memory.
struct RequestAssembler {
    /// What became of a request with a part of it.
    enum Outcome {
        /// The part belongs to no request that is still received.
        case ignored
        /// More of the request is to come.
        case incomplete
        /// The client sends the body once it has received `100 Continue`.
        case awaitsContinue
        /// The request is complete, or has been turned away before its end.
        case complete(Exchange)
    }

    private enum State {
        case awaitingHead
        /// Receives a body that is kept.
        case collecting(Exchange)
        /// Receives a body that is not needed, of which at most so many bytes more are read.
        case discarding(Exchange, bytesLeft: Int)
        /// The connection ends after the last request: further parts are ignored.
        case over
    }

    /// How many bytes a chunked body may take beside its content and eight times its content, which allows chunks of a
    /// single byte. Extensions of chunks, which this server ignores, would otherwise have no limit.
    private static let maxFraming = 16 * 1_024
    /// What a large head that is being received may come to hold, in bytes.
    private static let headBytes = 32 * 1_024

    private var state = State.awaitingHead
    /// The bytes that the connection had received when the last head was complete.
    private var receivedAtHead = 0
    /// The bytes that the connection had received when the last request ended.
    private var receivedAtEnd = 0
    /// By which a large head that is being received is counted.
    private var headClaim: MemoryBudget.Claim?
    private let routes: Routes
    private let share: ConnectionShare
    private let requestIDs: RequestIDGenerator
    private let received: ReceivedByteCounter
    private let handler: any RequestHandler
    private let maxBodyBytes: Int
    private let maxAnonymousBodyBytes: Int

    init(_ server: ServerState, _ share: ConnectionShare, _ received: ReceivedByteCounter) {
        self.share = share
        self.received = received
        handler = server.handler
        maxAnonymousBodyBytes = server.configuration.maxAnonymousBodyBytes
        routes = server.routes
        requestIDs = server.requestIDs
        maxBodyBytes = server.configuration.maxBodyBytes
    }

    /// Whether the head of a request has been received and its body has not ended.
    var isReceiving: Bool {
        switch state {
        case .collecting, .discarding: true
        case .awaitingHead, .over: false
        }
    }

    mutating func receive(_ part: HTTPServerRequestPart) -> Outcome {
        switch part {
        case .head(let head): receive(head)
        case .body(let bytes): receive(bytes)
        case .end: end()
        }
    }

    /// Ends the input with an error: that of the request that is being received, or of no request.
    /// - Returns: nil when the input had ended before.
    mutating func refuse(_ error: HTTPError) -> Exchange? {
        if case .over = state { return nil }
        guard let exchange = leave(for: .over) else { return Exchange(error: error, requestID: requestIDs.next()) }
        exchange.refuse(error, closing: true)
        share.release(exchange)
        releaseHead()
        return exchange
    }

    /// Ends the input and drops the request that is being received.
    mutating func stop() {
        if let exchange = leave(for: .over) { share.release(exchange) }
        releaseHead()
    }

    /// Checks the bytes of which the parser has made no part.
    /// - Returns: why they are not accepted.
    mutating func readCompleted() -> HTTPError? {
        switch state {
        case .collecting(let exchange), .discarding(let exchange, _):
            guard exchange.headers.isChunked else { return nil }
            let isExcessive = received.count - receivedAtHead > Self.maxFraming + 9 * exchange.bytesReceived
            return isExcessive ? .malformed : nil
        case .awaitingHead:
            guard received.count - receivedAtEnd > ConnectionRegistry.uncountedBytes, headClaim == nil else {
                return nil
            }
            headClaim = share.reserveHead(Self.headBytes)
            return headClaim == nil ? .overloaded : nil
        case .over: return nil
        }
    }

    private mutating func releaseHead() {
        guard let claim = headClaim else { return }
        share.releaseHead(Self.headBytes, claim)
        headClaim = nil
    }

    // MARK: Parts

    private mutating func receive(_ head: HTTPRequestHead) -> Outcome {
        guard case .awaitingHead = state else { return .ignored }
        receivedAtHead = received.count
        releaseHead()
        let headers = RequestHeaders(head.headers)
        let exchange = Exchange(
            requestID: headers.requestID ?? requestIDs.next(), head: head, headers: headers,
            route: routes.route(of: head, headers, isLocal: share.isLocal(head)),
            // A stream of HTTP/2 has one request.
            closes: !head.isKeepAlive || headers.wantsUpgrade || head.method == .CONNECT || head.version == .http2)
        let expectsContinue = headers.expectsContinue && (head.version == .http1_1 || head.version == .http2)
        guard headers.isUnambiguous(in: head.version), RequestTarget.isValid(in: head) else {
            exchange.refuse(.malformed, closing: true)
            return finish(exchange)
        }
        if takenBytes(of: exchange) != nil {
            if headers.hasUnknownExpectation {
                exchange.refuse(.expectationFailed, closing: true)
                return finish(exchange)
            }
            if let error = refusal(of: headers.contentLength ?? 0, from: exchange) {
                exchange.refuse(error, closing: true)
                return finish(exchange)
            }
            state = .collecting(exchange)
            return expectsContinue && headers.hasBody ? .awaitsContinue : .incomplete
        }
        if headers.hasBody, expectsContinue || headers.contentLength ?? 0 > maxBodyBytes {
            exchange.closes = true
            return finish(exchange)
        }
        state = .discarding(exchange, bytesLeft: maxBodyBytes)
        return .incomplete
    }

    private mutating func receive(_ bytes: ByteBuffer) -> Outcome {
        let count = bytes.readableBytes
        switch state {
        case .collecting(let exchange):
            exchange.bytesReceived += count
            if let error = refusal(of: exchange.bytesReceived, from: exchange) {
                exchange.refuse(error, closing: true)
                return finish(exchange)
            }
            exchange.append(bytes)
            guard share.reserve(for: exchange) else {
                exchange.refuse(.overloaded, closing: true)
                return finish(exchange)
            }
        case .discarding(let exchange, let bytesLeft):
            exchange.bytesReceived += count
            if count > bytesLeft {
                exchange.closes = true
                return finish(exchange)
            }
            state = .discarding(exchange, bytesLeft: bytesLeft - count)
        case .awaitingHead, .over: return .ignored
        }
        return .incomplete
    }

    /// The longest body, in bytes, that the request's destination takes; nil if it takes none.
    private func takenBytes(of exchange: Exchange) -> Int? {
        switch exchange.destination {
        case .handler: maxBodyBytes
        case .responder(_, _, let bodyBytes): bodyBytes
        case .response, .error: nil
        }
    }

    /// Why a body of `bytes` bytes is not taken; nil when it is.
    private func refusal(of bytes: Int, from exchange: Exchange) -> HTTPError? {
        let taken = takenBytes(of: exchange) ?? 0
        guard bytes <= taken else { return .bodyTooLarge(max: taken) }
        guard bytes > maxAnonymousBodyBytes, case .anonymous(let reason) = exchange.admission(handler) else {
            return nil
        }
        return .unauthenticated(reason: reason, max: maxAnonymousBodyBytes)
    }

    private mutating func end() -> Outcome {
        guard let exchange = leave(for: .awaitingHead) else { return .ignored }
        return finish(exchange)
    }

    // MARK: State

    private mutating func finish(_ exchange: Exchange) -> Outcome {
        state = exchange.closes ? .over : .awaitingHead
        receivedAtEnd = received.count
        if exchange.body.readableBytes == 0 { share.release(exchange) } else { share.clientFinished(exchange) }
        return .complete(exchange)
    }

    /// - Returns: the request that was being received.
    private mutating func leave(for next: State) -> Exchange? {
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
