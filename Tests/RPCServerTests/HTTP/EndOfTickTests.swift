import NIOCore
import NIOPosix
import Testing

@testable import RPCServer

@Suite("Work put off to the end of an event loop's tick")
struct EndOfTickTests {
    @Test("it runs once for all that put it off, after them, and again in later ticks")
    func once() async throws {
        let end = EndOfTick()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let order = NIOLoopBoundBox.makeBoxSendingValue([String](), eventLoop: loop)
        for round in ["one", "two"] {
            try await loop.submit {
                order.value = []
                for call in 1...3 {
                    #expect(end.putOff { order.value.append("work") })
                    order.value.append("\(round) \(call)")
                }
            }.get()
            let seen = try await loop.submit { order.value }.get()
            #expect(seen == ["\(round) 1", "\(round) 2", "\(round) 3", "work"])
        }
    }

    @Test("nothing is put off where there is no event loop")
    func elsewhere() {
        #expect(!EndOfTick().putOff { Issue.record("it must not run") })
    }
}
