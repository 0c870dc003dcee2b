import Synchronization

/// The address of this server in mails, without a slash at its end: the public one, or that on which it listens.
package final class ServedAddress: Sendable {
    private let text: Mutex<String>
    private let isPublic: Bool

    /// - Parameters:
    ///   - url: the public address; or the one of the settings, whose port may be 0 until the server listens.
    ///   - isPublic: whether it is the public one, which does not depend on the port.
    package init(_ url: String, isPublic: Bool) {
        text = Mutex(url)
        self.isPublic = isPublic
    }

    package var url: String { text.withLock { $0 } }

    /// Takes the address on which the server listens.
    package func listens(at url: String) {
        guard !isPublic else { return }
        text.withLock { $0 = url }
    }
}
