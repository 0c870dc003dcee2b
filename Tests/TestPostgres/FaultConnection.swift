import Glibc

/// One connection through a `FaultRelay`, with the bytes in flight in each direction. Used by the thread of the relay only.
final class FaultConnection {
    let toServer: Stream
    let toClient: Stream
    private let client: Int32
    private let server: Int32
    private(set) var isOver = false

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
        toServer = Stream(from: client, to: server)
        toClient = Stream(from: server, to: client)
    }

    func interests(_ now: ContinuousClock.Instant) -> [pollfd] {
        var client = pollfd(fd: client, events: 0, revents: 0)
        var server = pollfd(fd: server, events: 0, revents: 0)
        if toServer.mayRead { client.events |= Int16(POLLIN) }
        if toClient.mayRead { server.events |= Int16(POLLIN) }
        if toServer.mayWrite(now) { server.events |= Int16(POLLOUT) }
        if toClient.mayWrite(now) { client.events |= Int16(POLLOUT) }
        // poll would report a closed socket again and again, even without events of interest.
        return [client, server].filter { $0.events != 0 }
    }

    func move(_ now: ContinuousClock.Instant) {
        guard !isOver else { return }
        for stream in [toServer, toClient] {
            stream.read(now)
            stream.write(now)
        }
        if toServer.isBroken || toClient.isBroken { return cut(.reset) }
        // A side that has lost bytes never sees the end. When the client closes, the proxy ends the connection anyway.
        let isDone = toServer.hasPassedEnd && toClient.hasPassedEnd
        if isDone || (toServer.hasEnded && (toServer.isLost || toClient.isLost)) { cut(.close) }
    }

    func cut(_ cut: FaultProxy.Cut) {
        guard !isOver else { return }
        switch cut {
        case .halfOpen:
            toServer.isLost = true
            toClient.isLost = true
            return
        case .stall:
            toServer.isStalled = true
            toClient.isStalled = true
            return
        case .close: close(client)
        case .reset: Self.reset(client)
        }
        close(server)
        isOver = true
    }

    static func reset(_ descriptor: Int32) {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    /// One direction of the connection.
    final class Stream {
        /// The number of bytes that are held back before the stream stops reading.
        private static let limit = 256 << 10

        var condition = FaultProxy.Condition.normal
        /// Bytes have been lost. All following ones are dropped, since the receiver could not parse them.
        var isLost = false
        var isStalled = false
        private(set) var hasEnded = false
        private(set) var hasPassedEnd = false
        private(set) var isBroken = false
        private let from: Int32
        private let to: Int32
        private var pieces: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>)] = []
        private var count = 0
        private var nextWrite: ContinuousClock.Instant?
        private var passed = 0
        private var buffer = [UInt8](repeating: 0, count: 64 << 10)

        init(from: Int32, to: Int32) {
            self.from = from
            self.to = to
        }

        var mayRead: Bool { !hasEnded && !isStalled && count < Self.limit }

        func mayWrite(_ now: ContinuousClock.Instant) -> Bool { due.map { $0 <= now } ?? false }

        /// When to write the next bytes.
        var due: ContinuousClock.Instant? {
            guard !isStalled, let first = pieces.first else { return nil }
            return nextWrite.map { max($0, first.due) } ?? first.due
        }

        func takeCount() -> Int {
            defer { passed = 0 }
            return passed
        }

        func read(_ now: ContinuousClock.Instant) {
            while mayRead {
                let got = recv(from, &buffer, buffer.count, 0)
                if got > 0 {
                    if condition == .blackHole { isLost = true }
                    if isLost { continue }
                    let delay: Duration = if case .delayed(let delay) = condition { delay } else { .zero }
                    pieces.append((now + delay, buffer[..<got]))
                    count += got
                } else if got == 0 {
                    hasEnded = true
                    if condition == .blackHole { isLost = true }
                } else {
                    if errno != EAGAIN && errno != EINTR { isBroken = true }
                    return
                }
            }
        }

        func write(_ now: ContinuousClock.Instant) {
            if isLost {
                pieces = []
                count = 0
            }
            while let piece = pieces.first, mayWrite(now) {
                let maxCount =
                    switch condition {
                    case .normal, .blackHole, .delayed: piece.bytes.count
                    case .bytewise: 1
                    case .slow(let bytesPerSecond): max(1, bytesPerSecond / 100)
                    }
                let sent = piece.bytes.prefix(maxCount).withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else {
                    if errno != EAGAIN && errno != EINTR { isBroken = true }
                    return
                }
                count -= sent
                passed += sent
                pieces[0].bytes = piece.bytes.dropFirst(sent)
                if pieces[0].bytes.isEmpty { pieces.removeFirst() }
                switch condition {
                case .normal, .blackHole, .delayed: nextWrite = nil
                case .bytewise: nextWrite = now + .microseconds(40)
                case .slow: nextWrite = now + .milliseconds(10)
                }
            }
            if hasEnded, pieces.isEmpty, !isLost, !hasPassedEnd {
                hasPassedEnd = true
                shutdown(to, Int32(SHUT_WR))
            }
        }
    }
}
