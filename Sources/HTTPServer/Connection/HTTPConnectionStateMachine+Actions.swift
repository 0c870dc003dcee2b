extension HTTPConnectionStateMachine {
    /// What the owner does in answer to an event, in the order of these declarations.
    struct Actions: OptionSet, Sendable, CustomStringConvertible {
        let rawValue: UInt16

        /// Drop the waiting requests and the one that is being received.
        static let dropRequests = Actions(rawValue: 1 << 0)
        /// Cancel the request that is being answered.
        static let cancelRequest = Actions(rawValue: 1 << 1)
        /// Begin the first waiting request, which then no longer waits.
        static let beginRequest = Actions(rawValue: 1 << 2)
        /// Turn away the request that is being received, since it took too long or others need its place; it then is a
        /// waiting request.
        static let refuseSlowRequest = Actions(rawValue: 1 << 3)
        /// Write `100 Continue`.
        static let writeContinue = Actions(rawValue: 1 << 4)
        /// Send what has been written.
        static let flush = Actions(rawValue: 1 << 5)
        /// Send what has been written and call ``outputFlushed(now:)`` when the last byte has left.
        static let flushAndNotify = Actions(rawValue: 1 << 6)
        /// Call ``tickBegan()`` in a later tick of the event loop.
        static let resumeInLaterTick = Actions(rawValue: 1 << 7)
        /// Call ``halfCloseGraceEnded(of:)`` with the present ``requestNumber`` after the configured time.
        static let startHalfCloseGrace = Actions(rawValue: 1 << 8)
        /// Call ``drainPhaseBegan(_:)`` for each phase at its time.
        static let startDrainPhases = Actions(rawValue: 1 << 9)
        /// Close the connection's output and leave its input open.
        static let closeOutput = Actions(rawValue: 1 << 10)
        /// Read from the socket.
        static let read = Actions(rawValue: 1 << 11)
        /// Close the connection.
        static let close = Actions(rawValue: 1 << 12)
        /// Write a comment to the stream of events, which keeps proxies from closing it, and send it.
        static let writeHeartbeat = Actions(rawValue: 1 << 13)
        /// The stream of events has ended: its source sends no more.
        static let endStream = Actions(rawValue: 1 << 14)

        private static let names: [(Actions, String)] = [
            (.dropRequests, "dropRequests"), (.cancelRequest, "cancelRequest"), (.beginRequest, "beginRequest"),
            (.refuseSlowRequest, "refuseSlowRequest"), (.writeContinue, "writeContinue"), (.flush, "flush"),
            (.flushAndNotify, "flushAndNotify"), (.resumeInLaterTick, "resumeInLaterTick"),
            (.startHalfCloseGrace, "startHalfCloseGrace"), (.startDrainPhases, "startDrainPhases"),
            (.closeOutput, "closeOutput"), (.read, "read"), (.close, "close"),
            (.writeHeartbeat, "writeHeartbeat"), (.endStream, "endStream"),
        ]

        var description: String {
            "[\(Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
        }
    }

    /// What is done with a response that is ready.
    enum Disposition: Equatable, Sendable {
        /// Write it, with `Connection: close` if it is the last one, and then call ``responseWritten()``, or for a stream of
        /// events ``streamBegan()``.
        case write(isLast: Bool)
        /// Close the connection: too many events wait for the client.
        case cutOff
        /// The connection is closed, or the stream has ended.
        case discard
    }
}
