package import DomainKit
package import JSON
import RPCServer

/// What sends the messages of the outbox.
package protocol MessageTransport: Sendable {
    /// Whether mails have a way to leave.
    var sendsMail: Bool { get }

    /// How much longer than any other message this one may take to leave, because it is large.
    func extraTime(for message: Message) -> Duration

    /// Returns what the receiver has answered once it has accepted the message.
    ///
    /// - Parameters:
    ///   - id: the same for each attempt to send the same message.
    ///   - trace: the value of `traceparent` for a request; nil without a trace.
    ///   - departing: called when the receiver is ready, before any of the message leaves; false: nothing of it leaves.
    func send(
        _ message: Message, id: String, trace: String?, departing: @escaping @Sendable () async -> Bool
    ) async throws(DeliveryError) -> JSONValue

    /// The next message of a kind that waits for its receiver tries at once: a person says that the cause is mended.
    func retry()

    /// Ends the attempts that are under way within about a second.
    func abort()
}

/// Why a message was not accepted. The description contains no address and no content, so that it may be logged.
package struct DeliveryError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// Another attempt may succeed.
        case transient
        /// Another attempt may succeed after this time: something that other messages have in common fails.
        case blocked(Duration)
        /// The same, and this message may be what fails: it waits at least as long as after as many failures of its own.
        case suspected(Duration)
        /// The receiver wants to be asked again after this time, or its other messages come first: nothing was tried.
        case deferred(Duration)
        /// The receiver will never accept the message.
        case permanent
    }

    package let kind: Kind
    /// Nil for a deferral that is no failure.
    package let cause: FailureCause?
    /// Whether the receiver may have accepted the message all the same.
    package let isUnclear: Bool
    package let description: String

    package init(_ kind: Kind, _ cause: FailureCause?, isUnclear: Bool = false, _ description: String) {
        self.kind = kind
        self.cause = cause
        self.isUnclear = isUnclear
        self.description = description
    }
}
