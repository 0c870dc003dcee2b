package import NIOCore

/// What stands behind `POST /rpc`: takes a body as it came and gives back the body to send.
///
/// Runs in a task that prefers the connection's event loop; nothing in it may block. The task is cancelled when the
/// client goes away.
package protocol RPCAnswering: Sendable {
    func answer(_ body: ByteBuffer, _ call: CallContext) async -> RPCAnswer
}

package enum RPCAnswer: Sendable {
    /// 200 with these bytes as `application/json`.
    case json(ByteBuffer)
    /// 204: there were only notifications.
    case noContent
}
