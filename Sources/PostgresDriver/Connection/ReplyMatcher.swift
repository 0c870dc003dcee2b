/// Matches replies to commands: libpq's pipeline as a pure state machine.
///
/// Replies come in the order of the commands. The reply to a command is followed by an end mark, the reply to a Sync is
/// not. After a failure the server skips everything up to the next Sync.
struct ReplyMatcher<Token> {
    enum Reply: Equatable {
        /// Rows, or the report that a command without rows is done.
        case success
        case failure
        /// The command was not executed, because one before it failed.
        case skipped
        case sync
        /// libpq's null result, which ends the reply to a command.
        case end
    }

    enum Action {
        case none
        case succeeded(Token)
        case failed(Token)
        case skipped(Token)
        /// The Sync was answered: a batch has ended.
        case synced
        /// All commands of the batch succeeded, but its commit failed, as with a deferred constraint.
        case failedAtSync
        /// The reply does not fit: the connection cannot be used any more.
        case violation(String)
    }

    private enum Expected {
        case command(Token)
        case sync
    }

    private var expected = FIFO<Expected>()
    private var awaitsEnd = false
    private(set) var isAborted = false

    /// Whether replies are still to come.
    var isWaiting: Bool { awaitsEnd || !expected.isEmpty }

    /// The command that the server is working on; nil between commands and at a Sync.
    var head: Token? {
        guard !awaitsEnd, case .command(let token) = expected.first else { return nil }
        return token
    }

    mutating func sent(_ token: Token) {
        expected.append(.command(token))
    }

    mutating func sentSync() {
        expected.append(.sync)
    }

    mutating func receive(_ reply: Reply) -> Action {
        if awaitsEnd {
            guard reply == .end else { return .violation("a second reply to one command") }
            awaitsEnd = false
            return .none
        }
        switch (reply, expected.first) {
        case (.sync, .sync):
            _ = expected.popFirst()
            isAborted = false
            return .synced
        case (.failure, .sync):
            guard !isAborted else { return .violation("a second failure before one Sync") }
            isAborted = true
            awaitsEnd = true
            return .failedAtSync
        case (.success, .command(let token)):
            guard !isAborted else { return .violation("a success after a failure") }
            finishHead()
            return .succeeded(token)
        case (.failure, .command(let token)):
            guard !isAborted else { return .violation("a second failure before one Sync") }
            isAborted = true
            finishHead()
            return .failed(token)
        case (.skipped, .command(let token)):
            guard isAborted else { return .violation("a command skipped without a failure") }
            finishHead()
            return .skipped(token)
        case (_, nil):
            return .violation("a reply without a command")
        default:
            return .violation("a reply out of order")
        }
    }

    private mutating func finishHead() {
        _ = expected.popFirst()
        awaitsEnd = true
    }
}
