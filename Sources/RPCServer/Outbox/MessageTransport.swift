package import DomainKit
package import JSON

/// What sends the messages of the outbox.
package protocol MessageTransport: Sendable {
    /// Whether mails have a way to leave.
    var sendsMail: Bool { get }

    /// Returns what the receiver has answered once it has accepted the message.
    ///
    /// - Parameters:
    ///   - id: the same for each attempt to send the same message.
    ///   - trace: the value of `traceparent` for a request; nil without a trace.
    func send(_ message: Message, id: String, trace: String?) async throws(DeliveryError) -> JSONValue

    /// Ends the attempts that are under way within about a second.
    func abort()
}

/// Why a message was not accepted. The description contains no address and no content, so that it may be logged.
package struct DeliveryError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// Another attempt may succeed.
        case transient
        /// The receiver wants to be asked again after this time, or its other messages come first: nothing was sent.
        case deferred(Duration)
        /// The receiver will never accept the message.
        case permanent
    }

    package let kind: Kind
    /// Whether the receiver may have accepted the message all the same.
    package let isUnclear: Bool
    package let description: String

    package init(_ kind: Kind, isUnclear: Bool = false, _ description: String) {
        self.kind = kind
        self.isUnclear = isUnclear
        self.description = description
    }
}
