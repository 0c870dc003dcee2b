import Testing

@testable import PostgresDriver

struct ConnectionStateMachineTests {
    typealias Machine = ConnectionStateMachine<TestRequest>

    struct TestRequest: ConnectionRequest {
        let id: Int
        var transport = RequestTransport.sharedBatch
        var cancelledAt: ContinuousClock.Instant?
        var share: Share?

        init(
            _ id: Int, _ transport: RequestTransport = .sharedBatch, for share: Share? = nil,
            cancelledAt: ContinuousClock.Instant? = nil
        ) {
            self.id = id
            self.share = share
            self.transport = transport
            self.cancelledAt = cancelledAt
        }
    }

    private let start = ContinuousClock.now
    private let prepared = PreparedStatement(statement: Statement("SELECT 1"), name: 1)

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func execute(_ request: TestRequest) -> Machine.Command { .execute(request, prepared) }

    private func machine(_ pooling: Pooling = .session, _ requests: TestRequest...) -> Machine {
        var machine = Machine(.init(pooling), now: start)
        for request in requests { machine.enqueue(request) }
        return machine
    }

    /// Sends what can be sent, one command for each request, as `Connection` does.
    /// - Returns: the actions, without the last `.none`.
    @discardableResult
    private func send(_ machine: inout Machine) -> [Machine.SendAction] {
        var actions: [Machine.SendAction] = []
        while true {
            let action = machine.nextSend()
            if action == .none { return actions }
            actions.append(action)
            if case .sendBatch(let batch) = action {
                for request in batch.requests { machine.sent(execute(request)) }
                machine.sentSync()
            }
        }
    }

    /// The server carries out the oldest batch without an error.
    private func answerBatch(_ machine: inout Machine, of requests: [TestRequest]) -> Machine.ReplyAction {
        for request in requests {
            let reply = machine.receive(.success)
            #expect(reply == .complete(execute(request)))
            let end = machine.receive(.end)
            #expect(end == .none)
        }
        return machine.receive(.sync)
    }

    private func batch(
        _ requests: TestRequest..., isSynced: Bool = true, hasFailed: Bool = false
    ) -> Batch<TestRequest> {
        var batch = Batch(.requests, requests)
        batch.isSynced = isSynced
        batch.hasFailed = hasFailed
        return batch
    }

    // MARK: Sending

    @Test func `shared reads that wait together are sent in one batch`() {
        var machine = machine(.session, TestRequest(1), TestRequest(2))
        let actions = send(&machine)
        #expect(actions == [.sendBatch(Batch(.requests, [TestRequest(1), TestRequest(2)]))])
        #expect(machine.isBusy && !machine.isIdle && !machine.isFull)
    }

    @Test func `a third batch of shared reads waits until the first has ended`() {
        var machine = machine(.session, TestRequest(1))
        send(&machine)
        machine.enqueue(TestRequest(2))
        send(&machine)
        #expect(machine.isFull == true)
        machine.enqueue(TestRequest(3))
        machine.enqueue(TestRequest(4))
        #expect(send(&machine) == [])
        let end = answerBatch(&machine, of: [TestRequest(1)])
        #expect(end == .endBatch(batch(TestRequest(1))))
        #expect(send(&machine) == [.sendBatch(Batch(.requests, [TestRequest(3), TestRequest(4)]))])
    }

    @Test func `a shared batch holds reads of one share, so that a slow one holds up no other share's replies`() {
        var machine = machine()
        let (alice, bob) = (Share(1), Share(2))
        let requests = [(1, alice), (2, bob), (3, alice), (4, bob)].map { TestRequest($0, for: $1) }
        for request in requests { machine.enqueue(request) }
        let batches = send(&machine).map { action -> [Int] in
            if case .sendBatch(let batch) = action { batch.requests.map(\.id) } else { [] }
        }
        #expect(batches == [[1, 3], [2, 4]])
    }

    @Test func `more batches are under way if each is of another share than the one before`() {
        var machine = machine()
        for id in 0..<40 { machine.enqueue(TestRequest(id, for: Share(Int64(id)))) }
        #expect(send(&machine).count == 16)
        var pooled = self.machine(.transaction)
        for id in 0..<3 { pooled.enqueue(TestRequest(id, for: Share(Int64(id)))) }
        #expect(send(&pooled).count == 1)
    }

    @Test func `a shared batch holds a limited number of requests`() {
        var machine = machine()
        for id in 0..<100 { machine.enqueue(TestRequest(id)) }
        let sizes = send(&machine).map { action in
            if case .sendBatch(let batch) = action { batch.requests.count } else { 0 }
        }
        #expect(sizes == [64, 36])
    }

    @Test func `requests with a batch of their own are sent up to the limit, in their order`() {
        var machine = machine()
        for id in 1...5 { machine.enqueue(TestRequest(id, .ownBatch)) }
        let actions = send(&machine)
        #expect(actions == (1...4).map { .sendBatch(Batch(.requests, [TestRequest($0, .ownBatch)])) })
        #expect(machine.backlogRequests == [TestRequest(5, .ownBatch)])
    }

    @Test func `a transaction waits until the connection is idle, and so does what is queued behind it`() {
        let transaction = TestRequest(2, .ownBatchWhenIdle)
        var machine = machine(.session, TestRequest(1), transaction, TestRequest(3))
        #expect(send(&machine) == [.sendBatch(Batch(.requests, [TestRequest(1)]))])
        _ = answerBatch(&machine, of: [TestRequest(1)])
        let next = send(&machine)
        #expect(next == [.sendBatch(Batch(.requests, [transaction])), .sendBatch(Batch(.requests, [TestRequest(3)]))])
    }

    @Test(arguments: [RequestTransport.simpleQuery, .copy])
    func `a simple query and a COPY wait until the connection is idle and then have it to themselves`(
        _ transport: RequestTransport
    ) {
        let exclusive = TestRequest(2, transport)
        var machine = machine(.session, TestRequest(1), exclusive, TestRequest(3))
        #expect(send(&machine) == [.sendBatch(Batch(.requests, [TestRequest(1)]))])
        _ = answerBatch(&machine, of: [TestRequest(1)])
        let started = send(&machine)
        #expect(started == [transport == .copy ? .startCopy(exclusive) : .startSimpleQuery(exclusive)])
        #expect(machine.mode == (transport == .copy ? .copy(exclusive) : .simpleQuery(exclusive)))
        #expect(machine.head == exclusive && machine.sentRequests == [exclusive] && machine.isBusy)
        machine.endExclusive()
        #expect(machine.mode == .pipeline)
        #expect(send(&machine) == [.sendBatch(Batch(.requests, [TestRequest(3)]))])
    }

    @Test func `behind a transaction pooler one batch at a time is under way`() {
        var machine = machine(.transaction, TestRequest(1))
        send(&machine)
        machine.enqueue(TestRequest(2))
        #expect(machine.isFull == true)
        #expect(send(&machine) == [])
        _ = answerBatch(&machine, of: [TestRequest(1)])
        #expect(send(&machine).count == 1)
    }

    @Test func `evicted statements are deallocated when no request can be sent`() {
        var machine = machine(.session, TestRequest(1))
        let first = machine.nextSend(hasEvictedStatements: true)
        #expect(first == .sendBatch(Batch(.requests, [TestRequest(1)])))
        let second = machine.nextSend(hasEvictedStatements: true)
        #expect(second == .sendBatch(Batch(.deallocation)))
        let third = machine.nextSend(hasEvictedStatements: false)
        #expect(third == .none)
    }

    @Test func `a request that is run again goes before those that wait`() {
        var machine = machine(.session, TestRequest(1), TestRequest(2, .ownBatch))
        machine.enqueueFirst(TestRequest(3, .ownBatch))
        machine.removeFromBacklog(TestRequest(2, .ownBatch))
        #expect(machine.takeBacklog() == [TestRequest(3, .ownBatch), TestRequest(1)])
        #expect(machine.isIdle && !machine.hasBacklog)
    }

    // MARK: Replies

    @Test func `a failure skips the rest of its batch and leaves the next batch alone`() {
        let (first, second, third) = (TestRequest(1), TestRequest(2), TestRequest(3))
        var machine = machine(.session, first, second)
        send(&machine)
        machine.enqueue(third)
        send(&machine)
        let failure = machine.receive(.failure)
        #expect(failure == .fail(execute(first)))
        _ = machine.receive(.end)
        let skipped = machine.receive(.skipped)
        #expect(skipped == .skip(execute(second)))
        _ = machine.receive(.end)
        let end = machine.receive(.sync)
        #expect(end == .endBatch(batch(first, second, hasFailed: true)))
        let next = answerBatch(&machine, of: [third])
        #expect(next == .endBatch(batch(third)))
        #expect(machine.isIdle && !machine.expectsReplies)
    }

    @Test func `a failure at the Sync concerns every request of the batch`() {
        let (first, second) = (TestRequest(1), TestRequest(2))
        var machine = machine(.session, first, second)
        send(&machine)
        for _ in 1...2 {
            _ = machine.receive(.success)
            _ = machine.receive(.end)
        }
        let failure = machine.receive(.failure)
        #expect(failure == .failBatch([first, second]))
        _ = machine.receive(.end)
        let end = machine.receive(.sync)
        #expect(end == .endBatch(batch(first, second, hasFailed: true)))
    }

    @Test func `settings that fail are the failure of their read`() {
        let request = TestRequest(1, .ownBatch)
        var machine = machine(.session, request)
        _ = machine.nextSend()
        machine.sent(.settings(request, prepared))
        machine.sent(execute(request))
        machine.sentSync()
        #expect(machine.head == request)
        let failure = machine.receive(.failure)
        #expect(failure == .fail(.settings(request, prepared)))
        _ = machine.receive(.end)
        let skipped = machine.receive(.skipped)
        #expect(skipped == .skip(execute(request)))
        _ = machine.receive(.end)
        let end = machine.receive(.sync)
        #expect(end == .endBatch(batch(request, hasFailed: true)))
    }

    @Test func `a preamble that fails concerns every request of its batch, a cleanup that fails none`() {
        var machine = machine(.transaction, TestRequest(1))
        _ = machine.nextSend()
        machine.sent(.internalCommand)
        machine.sent(execute(TestRequest(1)))
        machine.sentSync()
        #expect(machine.head == TestRequest(1), "the preamble's reply may come together with the first request's")
        let failure = machine.receive(.failure)
        #expect(failure == .failBatch([TestRequest(1)]))
        _ = machine.receive(.end)
        _ = machine.receive(.skipped)
        _ = machine.receive(.end)
        _ = machine.receive(.sync)

        let cleanup = machine.beginCleanup()
        #expect(cleanup == .sendBatch(Batch(.cleanup)))
        machine.sent(.internalCommand)
        machine.sentSync()
        let refusal = machine.receive(.failure)
        #expect(refusal == .none)
        _ = machine.receive(.end)
        let end = machine.receive(.sync)
        guard case .endBatch(let batch) = end else { return #expect(Bool(false), "the cleanup has ended") }
        #expect(batch.purpose == .cleanup && batch.hasFailed)
    }

    @Test func `a reply that nothing asked for is a protocol violation`() {
        var machine = machine()
        for reply: ReplyMatcher<Machine.Command>.Reply in [.success, .failure, .skipped, .sync, .end] {
            let action = machine.receive(reply)
            guard case .violation = action else { return #expect(Bool(false), "\(reply) was accepted") }
        }
    }

    @Test func `the head is the request that the server is working on`() {
        let (first, second) = (TestRequest(1), TestRequest(2))
        var machine = machine(.session, first, second)
        #expect(machine.head == nil)
        send(&machine)
        #expect(machine.head == first)
        _ = machine.receive(.success)
        _ = machine.receive(.end)
        #expect(machine.head == second)
        _ = machine.receive(.success)
        _ = machine.receive(.end)
        #expect(machine.head == nil, "all of a shared batch is answered but its Sync")
        _ = machine.receive(.sync)

        let transaction = TestRequest(3, .ownBatchWhenIdle)
        machine.enqueue(transaction)
        send(&machine)
        _ = machine.receive(.success)
        _ = machine.receive(.end)
        #expect(machine.head == transaction, "its commit is still to come")
    }

    // MARK: Cancelling

    /// A machine on which one cancelled request is under way.
    private func cancelledMachine(at milliseconds: Int = 0) -> Machine {
        var machine = machine(.session, TestRequest(1, .ownBatch, cancelledAt: at(milliseconds)))
        send(&machine)
        machine.requestCancelled()
        return machine
    }

    @Test func `a cancel request is sent when the statement has not ended by itself after a moment`() {
        var machine = cancelledMachine()
        let early = machine.nextCancelAction(at(0))
        #expect(early == .wait(until: at(5)))
        let due = machine.nextCancelAction(at(5))
        #expect(due == .sendRequest(lookAgainAt: at(5_000)))
        #expect(machine.cancel.sentCount == 1 && machine.cancel.isInFlight)
    }

    @Test func `nothing is sent while a cancel request is in flight`() {
        var machine = cancelledMachine()
        _ = machine.nextCancelAction(at(0))
        _ = machine.nextCancelAction(at(5))
        machine.enqueue(TestRequest(2))
        #expect(send(&machine) == [])
        machine.cancelRequestReturned()
        #expect(send(&machine).count == 1)
    }

    @Test func `cancel requests are repeated every second, and after five seconds the connection is given up`() {
        var machine = cancelledMachine()
        _ = machine.nextCancelAction(at(0))
        _ = machine.nextCancelAction(at(5))
        machine.cancelRequestReturned()
        let wait = machine.nextCancelAction(at(6))
        #expect(wait == .wait(until: at(1_005)))
        let second = machine.nextCancelAction(at(1_005))
        #expect(second == .sendRequest(lookAgainAt: at(5_000)))
        machine.cancelRequestReturned()
        let last = machine.nextCancelAction(at(5_000))
        #expect(last == .giveUp(cause: "a statement did not end when it was cancelled"))
    }

    @Test func `a cancelled request's time begins when the server begins with it`() {
        let first = TestRequest(1, .ownBatch)
        var machine = machine(.session, first, TestRequest(2, .ownBatch, cancelledAt: at(0)))
        send(&machine)
        machine.requestCancelled()
        let waiting = machine.nextCancelAction(at(1_000))
        #expect(waiting == .none, "the server is at a request that is wanted")
        _ = answerBatch(&machine, of: [first])
        let begun = machine.nextCancelAction(at(9_000))
        #expect(begun == .wait(until: at(9_005)))
    }

    @Test func `a cancel request that is not answered costs the connection even when its statement has ended`() {
        let request = TestRequest(1, .ownBatch, cancelledAt: start)
        var machine = cancelledMachine()
        _ = machine.nextCancelAction(at(0))
        _ = machine.nextCancelAction(at(5))
        _ = answerBatch(&machine, of: [request])
        machine.cancelledRequestEnded()
        let wait = machine.nextCancelAction(at(10))
        #expect(wait == .wait(until: at(5_005)))
        let end = machine.nextCancelAction(at(5_005))
        #expect(end == .giveUp(cause: "a cancel request was not answered"))
    }

    @Test func `a connection takes no new requests until a cancel request can hit none of them`() {
        let request = TestRequest(1, .ownBatch, cancelledAt: start)
        var machine = machine(.session, request, TestRequest(2, .ownBatch))
        #expect(machine.isCancelPending == false)
        send(&machine)
        machine.requestCancelled()
        #expect(machine.isCancelPending == true, "it is to be cancelled")
        _ = machine.nextCancelAction(at(0))
        _ = machine.nextCancelAction(at(5))
        machine.cancelRequestReturned()
        _ = answerBatch(&machine, of: [request])
        machine.cancelledRequestEnded()
        #expect(machine.isCancelPending == true, "the request may still hit what was sent behind its target")
        _ = answerBatch(&machine, of: [TestRequest(2, .ownBatch)])
        #expect(machine.isCancelPending == false)
    }

    // MARK: The end

    @Test func `a lost connection hands over what it carried, once`() {
        let transaction = TestRequest(2, .ownBatchWhenIdle)
        var machine = machine(.session, TestRequest(1))
        send(&machine)
        machine.enqueue(TestRequest(3, .ownBatch))
        _ = machine.nextSend()
        machine.enqueue(transaction)
        let work = machine.lose()
        let expected = Machine.AbandonedWork(
            batches: [batch(TestRequest(1)), batch(TestRequest(3, .ownBatch), isSynced: false)], exclusive: nil,
            backlog: [transaction])
        #expect(work == expected, "the second batch was lost before its Sync")
        #expect(machine.isLost && !machine.isBusy && !machine.expectsReplies && machine.head == nil)
        let again = machine.lose()
        #expect(again == nil)
        machine.enqueue(TestRequest(4))
        #expect(send(&machine) == [])
    }

    @Test func `a connection that is lost in a COPY names its request`() {
        let copy = TestRequest(1, .copy)
        var machine = machine(.session, copy)
        send(&machine)
        let work = machine.lose()
        #expect(work == Machine.AbandonedWork(batches: [], exclusive: copy, backlog: []))
        machine.endExclusive()
        #expect(machine.isLost == true, "it stays lost")
    }

    // MARK: Activity

    @Test func `a statement's time counts from its start or the reply before it, however its result arrives`() {
        var machine = machine()
        machine.activity.noteStart(at(10))
        machine.activity.note(at(35))
        let first = machine.activity.noteReply(at(40))
        #expect(first == .milliseconds(30), "a part of a large result makes no difference")
        let together = machine.activity.noteReply(at(40))
        #expect(together == nil, "its time is counted with the reply before it")
        let next = machine.activity.noteReply(at(45))
        #expect(next == .milliseconds(5))
    }

    @Test func `the interest in writing changes only when unsent data appear or are gone`() {
        var machine = machine()
        let changes = [false, true, true, false].map { machine.activity.flushed(hasUnsentData: $0) }
        #expect(changes == [false, true, false, true])
    }

    // MARK: All together

    @Test func `in any order of events every request ends once, in a batch that succeeded or failed`() {
        for _ in 0..<200 {
            var machine = machine()
            var next = 0
            var ended: [Int] = []
            var underWay = FIFO<Batch<TestRequest>>()
            for _ in 0..<200 {
                if Bool.random() {
                    machine.enqueue(TestRequest(next, [.sharedBatch, .ownBatch, .ownBatchWhenIdle].randomElement()!))
                    next += 1
                }
                for action in send(&machine) { if case .sendBatch(let batch) = action { underWay.append(batch) } }
                guard Bool.random(), let batch = underWay.popFirst() else { continue }
                ended += answer(&machine, batch, failing: Bool.random() ? batch.requests.indices.randomElement() : nil)
            }
            while true {
                for action in send(&machine) { if case .sendBatch(let batch) = action { underWay.append(batch) } }
                guard let batch = underWay.popFirst() else { break }
                ended += answer(&machine, batch, failing: nil)
            }
            #expect(ended == Array(0..<next))
            #expect(machine.isIdle && !machine.expectsReplies && machine.batchCount == 0)
        }
    }

    private func answer(_ machine: inout Machine, _ batch: Batch<TestRequest>, failing: Int?) -> [Int] {
        for index in batch.requests.indices {
            let isSkipped = failing.map { $0 < index } ?? false
            _ = machine.receive(index == failing ? .failure : isSkipped ? .skipped : .success)
            _ = machine.receive(.end)
        }
        guard case .endBatch(let ended) = machine.receive(.sync) else { return [] }
        #expect(ended.requests == batch.requests && ended.isSynced && ended.hasFailed == (failing != nil))
        return ended.requests.map(\.id)
    }
}
