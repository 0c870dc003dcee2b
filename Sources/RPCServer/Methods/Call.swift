/// One call on its way: who makes it, and what its request brought along.
struct Call: Sendable {
    /// Nil where the method takes anyone.
    let caller: Caller?
    let context: CallContext
}
