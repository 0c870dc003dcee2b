import Glibc
import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct OffLoopTests {
    @Test func `jobs run on so many threads at most, at a lower priority, and all of them run`() async throws {
        let executor = OffLoopExecutor(OffLoopPool(maxThreads: 2), for: AddressShare(nil))
        let counts = LockedValue((running: 0, most: 0, ended: 0))
        let priorities = EventRecorder<Int32>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask(executorPreference: executor) {
                    counts.withLock { counts in
                        counts.running += 1
                        counts.most = max(counts.most, counts.running)
                    }
                    priorities.record(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
                    usleep(1_000)
                    counts.withLock { counts in
                        counts.running -= 1
                        counts.ended += 1
                    }
                }
            }
        }
        #expect(counts.value.ended == 50)
        #expect(counts.value.most <= 2)
        #expect(priorities.all.allSatisfy { $0 >= 5 })
    }

    @Test func `clients whose jobs wait take turns`() {
        var queue = TurnQueue<String, Int>()
        for number in 1...3 { queue.append(number, of: "a") }
        queue.append(11, of: "b")
        #expect(queue.popNext() == 1)
        queue.append(21, of: "c")
        for number in [4, 5] { queue.append(number, of: "a") }
        var order: [Int] = []
        while let next = queue.popNext() { order.append(next) }
        #expect(order == [11, 2, 21, 3, 4, 5])
        queue.append(6, of: "a")
        #expect(queue.popNext() == 6)
    }

    @Test func `who may not have a turn keeps its place, and its elements their order`() {
        var queue = TurnQueue<String, Int>()
        for number in 1...2 { queue.append(number, of: "a") }
        for number in 11...12 { queue.append(number, of: "b") }
        #expect(queue.popNext { $0 != "a" } == 11)
        #expect(queue.popNext { $0 != "a" } == 12)
        #expect(queue.popNext { $0 != "a" } == nil)
        queue.append(21, of: "c")
        var order: [Int] = []
        while let next = queue.popNext() { order.append(next) }
        #expect(order == [1, 21, 2])
    }

    @Test(arguments: [
        ("a1 a2 a3 b1", "", "a1 b1 a2 a3"),
        ("a1 a1 a2 b1 b1 c1", "", "a1 b1 c1 a2 b1 a1"),
        ("a1 a2 b1 b2", "a1", "a2 b1 b2"),
        ("a1 b1 a1 b1", "a1", "b1 b1"),
        ("", "", ""),
    ])
    func `groups take turns, and then their owners`(coming: String, refused: String, order: String) {
        var queue = GroupedTurnQueue<Character, Substring, Substring>()
        for owner in coming.split(separator: " ") { queue.append(owner, of: owner, in: owner.first ?? " ") }
        var popped: [Substring] = []
        while let next = queue.popNext(where: { $1 != Substring(refused) }) { popped.append(next) }
        #expect(popped.joined(separator: " ") == order)
        // Who was refused has kept its place.
        if !refused.isEmpty { #expect(queue.popNext() == Substring(refused)) }
    }

    @Test func `memory that a job has freed is returned to the system`() async throws {
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        // Of these pages, not of the process, whose other tests need memory meanwhile.
        func residentCount(_ pages: Set<UInt>) -> Int {
            var isResident: UInt8 = 0
            return pages.count {
                mincore(UnsafeMutableRawPointer(bitPattern: $0), pageSize, &isResident) == 0 && isResident & 1 == 1
            }
        }
        let executor = OffLoopExecutor(OffLoopPool(maxThreads: 1), for: AddressShare(nil))
        let (pages, last) = await withTaskExecutorPreference(executor) {
            // The last of many small blocks keeps the allocator from giving back the others by itself.
            let blocks = (0..<1_000_000).map { _ in UInt(bitPattern: malloc(100)) }
            let last = UInt(bitPattern: malloc(100))
            let pages = Set(blocks.map { $0 & ~UInt(pageSize - 1) })
            for block in blocks { free(UnsafeMutableRawPointer(bitPattern: block)) }
            #expect(residentCount(pages) > pages.count / 2, "the allocator keeps them at first")
            return (pages, last)
        }
        defer { free(UnsafeMutableRawPointer(bitPattern: last)) }
        try await eventually("most pages are returned") { residentCount(pages) < pages.count / 4 }
    }

    @Test func `work off the loop delays no other request`() async throws {
        let gate = Flag()
        let begun = Flag()
        let answers = Answers { body, context in
            guard body.readableBytes > 2 else { return .json(body) }
            return await withTaskExecutorPreference(context.offLoop) {
                begun.set()
                // Blocks its thread, as a long computation does.
                while !gate.isSet { usleep(1_000) }
                return .json(body)
            }
        }
        try await TestServer.run(answers, configure: { $0.eventLoopThreads = 1 }) { server in
            let slow = try await server.connect()
            slow.send(post("[1]"))
            try await eventually("the work has begun") { begun.isSet }
            #expect(try await server.send(post("[]")).status == 200)
            #expect(slow.isEmpty)
            gate.set()
            #expect(try await slow.response().text == "[1]")
            slow.close()
        }
    }

    @Test func `bodies of clients that have disconnected count until their work ends`() async throws {
        let gate = Flag()
        let received = EventRecorder<Int>()
        let answers = Answers { body, context in
            guard body.readableBytes > 8_192 else { return .json(body) }
            received.record(body.readableBytes)
            return await withTaskExecutorPreference(context.offLoop) {
                while !gate.isSet { usleep(1_000) }
                return .json(body)
            }
        }
        let part = MemoryBudget.Limits(
            total: 150_000, anonymous: 150_000, address: 150_000, connection: 150_000, stallTime: 0)
        try await TestServer.run(answers, configure: { $0.receivedBytes = part }) { server in
            let body = String(repeating: "x", count: 60_000)
            for count in 1...2 {
                let connection = try await server.connect()
                connection.send(post(body))
                try await eventually("the body is received") { received.all.count == count }
                try await connection.reset()
            }
            try await eventually("the connections' end") { server.server.load.connections == 0 }
            #expect(server.server.load.bytesHeld >= 120_000)
            #expect(try await server.send(post(body)).status == 503)
            #expect(try await server.send(post("[]")).status == 200)
            gate.set()
            try await eventually("everything given back") { server.server.load.bytesHeld == 0 }
            #expect(try await server.send(post(body)).status == 200)
        }
    }

    @Test func `a large response is compressed or divided off the loop and arrives whole`() async throws {
        let answers = Answers { body, _ in
            let count = Int(String(buffer: body)) ?? 0
            return .json(ByteBuffer(bytes: (0..<count).map { UInt8($0 % 251) }))
        }
        try await TestServer.run(answers) { server in
            for count in [40_000, 1_048_576, 1_048_577, 5_000_000] {
                let plain = try await server.send(post("\(count)"))
                #expect(plain.body.count == count)
                #expect(plain.body.indices.allSatisfy { plain.body[$0] == UInt8($0 % 251) })
                // The process compresses eight at a time, for other tests too.
                try await eventually("\(count) bytes are compressed") {
                    let gzip = try await server.send(post("\(count)", headers: "Accept-Encoding: gzip\r\n"))
                    #expect(gzip["Vary"] == "Accept-Encoding")
                    return gzip["Content-Encoding"] == "gzip"
                }
            }
            try await eventually("everything given back") { server.server.load.bytesUnsent == 0 }
        }
    }

    @Test func `the memory of a large response is free as its pieces leave`() async throws {
        let large = ByteBuffer(repeating: UInt8(ascii: " "), count: 24 << 20)
        try await TestServer.run(Answers { _, _ in .json(large) }, configure: { $0.eventLoopThreads = 1 }) { server in
            let connection = try await TestConnection.open(port: server.port, autoRead: false)
            connection.send(post("[]", headers: "Authorization: Bearer valid\r\n"))
            try await eventually("the kernel has taken a part") {
                (1..<24 << 20).contains(server.server.load.bytesUnsent)
            }
            connection.startReading()
            #expect(try await connection.response().body.count == 24 << 20)
            try await eventually("everything given back") { server.server.load.bytesUnsent == 0 }
            connection.close()
        }
    }
}
