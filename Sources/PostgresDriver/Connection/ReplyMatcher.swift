/// Which reply belongs to which command: libpq's pipeline as a pure machine, replies in, actions out.
///
/// Replies come in the order of the commands. Each command's reply is followed by an end mark, a Sync's is not. After
/// a failure everything up to the next Sync is skipped by the server.
struct ReplyMatcher<Token> {
    enum Reply: Equatable {
        /// Rows, or the word that a command is done.
        case success
        case failure
        /// The server did not look at the command, because one before it failed.
        case skipped
        case sync
        /// libpq's null result: nothing more for the command just answered.
        case end
    }

    enum Action {
        case none
        case succeeded(Token)
        case failed(Token)
        case skipped(Token)
        /// A batch is over.
        case synced
        /// Everything in the batch went well, but ending its transaction did not (a deferred constraint).
        case failedAtSync
        /// The order of replies makes no sense: the connection cannot be trusted any more.
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

    /// The command the server is at; nil between commands and at a Sync.
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
            return .violation("a reply to nothing")
        default:
            return .violation("a reply out of turn")
        }
    }

    private mutating func finishHead() {
        _ = expected.popFirst()
        awaitsEnd = true
    }
}
