import NIOCore

extension HTTPConnectionStateMachine {
    /// What became of a request when a part of it was received.
    enum Reception: Sendable {
        /// The part belongs to no request that is still received.
        case ignored
        /// More of it is to come.
        case incomplete
        /// More of it is to come once the client has received `100 Continue`.
        case awaitsContinue
        /// It is complete, or has been turned away before its end: it waits to be answered.
        case complete
    }

    /// The phases of a shutdown, in their order.
    enum DrainPhase: Sendable, CaseIterable {
        /// Idle connections end. A request may have been on its way to one when the shutdown began, hence some time.
        case endIdle
        /// Requests that still run are cancelled.
        case cancelRunning
        /// Connections that are still open are cut off.
        case cutOff

        /// When each phase begins, counted from the beginning of the shutdown.
        static func times(_ configuration: HTTPConfiguration) -> [(phase: DrainPhase, delay: TimeAmount)] {
            let cancellation = TimeAmount(configuration.drainTimeout)
            return [
                (.endIdle, .milliseconds(250)), (.cancelRunning, cancellation),
                (.cutOff, cancellation + .milliseconds(500)),
            ]
        }
    }
}
