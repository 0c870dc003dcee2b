package import Auth
package import RPCServer

/// A method whose calls are answered with a link, and what the link opens.
package struct LinkedMethod: Sendable {
    /// Reads or makes the document of a link that is valid.
    ///
    /// - Parameter clock: is told of the stages.
    package typealias Opening =
        @Sendable (
            _ link: LinkedDocument, _ context: CallContext, _ clock: inout StageClock
        ) async throws(DocumentError) -> Document

    package let method: Method
    let open: Opening

    package init(_ method: Method, open: @escaping Opening) {
        self.method = method
        self.open = open
    }
}
