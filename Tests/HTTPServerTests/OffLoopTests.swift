import Glibc
import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct OffLoopTests {
    @Test func `jobs run on so many threads at most, at a lower priority, and all of them run`() async throws {
        let executor = OffLoopExecutor(maxThreads: 2)
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

    @Test func `memory that a job has freed is returned to the system`() async throws {
        func residentPages() throws -> Int {
            var pages = 0
            let file = try #require(fopen("/proc/self/statm", "r"))
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 128)
            if fgets(&line, 128, file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
                pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            }
            return pages
        }
        let executor = OffLoopExecutor(maxThreads: 1)
        let (peak, last) = try await withTaskExecutorPreference(executor) {
            // The last of many small blocks keeps the allocator from giving back the others by itself.
            let blocks = (0..<1_000_000).map { _ in UInt(bitPattern: malloc(100)) }
            let last = UInt(bitPattern: malloc(100))
            let peak = try residentPages()
            for block in blocks { free(UnsafeMutableRawPointer(bitPattern: block)) }
            return (peak, last)
        }
        defer { free(UnsafeMutableRawPointer(bitPattern: last)) }
        try await eventually("60 MB are returned") { try residentPages() < peak - 60_000_000 / 4_096 }
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
                let gzip = try await server.send(post("\(count)", headers: "Accept-Encoding: gzip\r\n"))
                #expect((gzip["Content-Encoding"] == "gzip") == (count <= 1_048_576))
                #expect((gzip["Vary"] == "Accept-Encoding") == (count <= 1_048_576))
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
