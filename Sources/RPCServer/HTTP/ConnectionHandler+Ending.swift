import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// How long, and for how many bytes, a client may go on sending after its last response.
    private static let lingering = TimeAmount.seconds(2)
    private static let bytesBorne = 32 << 20
    /// A request may be on its way to a connection that looks idle when shutdown begins.
    private static let drainGrace = TimeAmount.milliseconds(250)
    /// Between cancelling what runs and cutting it off.
    private static let cutOffGrace = TimeAmount.milliseconds(500)

    /// Closes the connection once what has been written has left.
    func end(_ context: ChannelHandlerContext) {
        guard ending == .no else { return }
        ending = .flushing
        intake.stop()
        for exchange in waiting { server.budget.give(back: exchange.reserved) }
        waiting.removeAll()
        outlet.emit(to: context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let left = context.eventLoop.makePromise(of: Void.self)
        left.futureResult.whenComplete { _ in
            let (handler, context) = bound.value
            handler.closeOutput(context)
        }
        context.writeAndFlush(NIOAny(context.channel.allocator.buffer(capacity: 0)), promise: left)
    }

    private func closeOutput(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard !hasInputEnded else {
            context.close(promise: nil)
            return
        }
        ending = .lingering(since: loop.now)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    func linger(over bytes: Int, _ context: ChannelHandlerContext) {
        bytesLingered += bytes
        if bytesLingered > Self.bytesBorne { context.close(promise: nil) }
    }

    /// The client sends no more. Perhaps it still reads: what runs gets a moment to be answered, then is cancelled.
    func inputEnded(_ context: ChannelHandlerContext) {
        hasInputEnded = true
        if case .lingering = ending {
            context.close(promise: nil)
            return
        }
        advance(context)
        guard running != nil else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(server.configuration.halfCloseGrace)) {
            bound.value.running?.task?.cancel()
        }
    }

    /// Shutdown has begun: what runs is answered, with `Connection: close`; what is idle goes.
    func drain(_ context: ChannelHandlerContext) {
        guard !isDraining else { return }
        isDraining = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.drainGrace) { bound.value.endIfIdle() }
        let drainTime = TimeAmount(server.configuration.drainTimeout)
        context.eventLoop.scheduleTask(in: drainTime) { bound.value.running?.task?.cancel() }
        context.eventLoop.scheduleTask(in: drainTime + Self.cutOffGrace) { bound.value.context?.close(promise: nil) }
    }

    private func endIfIdle() {
        guard let context, context.channel.isActive, running == nil, waiting.isEmpty, !intake.isInside else { return }
        end(context)
    }

    // MARK: Time

    /// Ends what has taken too long. Called about once a second.
    func checkTime(_ now: NIODeadline) {
        guard let context, context.channel.isActive else { return }
        if case .lingering(let since) = ending {
            if now - since > Self.lingering { context.close(promise: nil) }
            return
        }
        if ending == .flushing || !context.channel.isWritable {
            checkReading(now, context)
            return
        }
        stalledSince = nil
        if running != nil || !waiting.isEmpty {
            since = now
        } else if intake.isInside || isInsideHead {
            guard now - since > TimeAmount(server.configuration.requestTimeout) else { return }
            take(intake.refuse(.tooSlow))
            advance(context)
        } else if now - since > TimeAmount(server.configuration.idleTimeout) {
            end(context)
        }
    }

    /// A client that does not read its answer is given up when nothing has left for a while.
    private func checkReading(_ now: NIODeadline, _ context: ChannelHandlerContext) {
        let pending: Int
        do {
            pending = try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        } catch {
            // Only a channel that has just closed does not tell.
            return
        }
        guard let stalledSince, pending == bytesStalled else {
            stalledSince = now
            bytesStalled = pending
            return
        }
        if now - stalledSince > TimeAmount(server.configuration.requestTimeout) { context.close(promise: nil) }
    }
}
