import Glibc
import Logging
import TestSupport
import Testing

@testable import Observability

@Suite struct LogWriterTests {
    private let pipe = Pipe()

    @Test func `a text line has time, level, message, and fields in the order of their names`() throws {
        let line = try written(.text) { logger in
            logger.info("POST /rpc 200", metadata: ["ms": "1.2", "calls": "a,b", "note": "two words", "n": "\(7)"])
        }
        #expect(line.dropFirst(24) == " info POST /rpc 200 calls=a,b ms=1.2 n=7 note=\"two words\"\n")
        #expect(line.prefix(24).wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test func `a JSON line is one object`() throws {
        let line = try written(.json) { logger in
            logger.warning(
                "a \"b\"\n\u{1}",
                metadata: ["list": ["x", "y"], "map": ["k": "v"], "n": .stringConvertible(Int64(7)), "level": "mine"])
        }
        #expect(
            line.dropFirst(#"{"time":"2026-11-21T12:00:00.000Z""#.count)
                == #","level":"warning","message":"a \"b\"\n\u0001","level_":"mine","list":["x","y"],"map":{"k":"v"},"n":7}"#
                + "\n")
    }

    @Test func `a line that is written field by field looks like any other`() throws {
        for (format, expected) in [
            (LogFormat.text, " info a\\nb n=-10 ms=1234.005 t=\"x y\"\n"),
            (.json, #","level":"info","message":"a\nb","n":-10,"ms":1234.005,"t":"x y"}"# + "\n"),
        ] {
            let sink = LogSink(descriptor: pipe.input)
            LogWriter(label: "test", format: format, sink: sink).write(.info, "a\nb") { line in
                line.add("n", -10)
                line.add("ms", nanoseconds: 1_234_005_999)
                line.add("t", "x y")
            }
            sink.flush(within: .seconds(60))
            #expect(pipe.read().hasSuffix(expected))
        }
    }

    @Test(arguments: LogFormat.allCases) func `line breaks and control characters are escaped`(format: LogFormat) throws
    {
        let lines = try written(format) { logger in
            logger.info("one\ntwo\r\nthree", metadata: ["a\nb": "c\nd", "e": "\u{1B}[31m"])
        }
        #expect(lines.filter { $0 == "\n" }.count == 1)
        #expect(lines.hasSuffix("\n"))
        #expect(!lines.contains("\u{1B}"))
    }

    @Test func `metadata of the event precede those of the logger`() throws {
        let line = try written(.text) { logger in
            var logger = logger
            logger[metadataKey: "a"] = "logger"
            logger[metadataKey: "b"] = "logger"
            logger.info("x", metadata: ["a": "event"])
        }
        #expect(line.hasSuffix(" info x a=event b=logger\n"))
    }

    @Test func `levels below the level of the logger are not written`() throws {
        let line = try written(.text) { logger in
            logger.debug("hidden")
            logger.error("shown")
        }
        #expect(line.hasSuffix(" error shown\n"))
        #expect(!line.contains("hidden"))
    }

    /// What a logger writes in `log`.
    private func written(_ format: LogFormat, _ log: (Logger) -> Void) throws -> String {
        let sink = LogSink(descriptor: pipe.input)
        log(Logger(label: "test") { LogWriter(label: $0, format: format, sink: sink) })
        sink.flush(within: .seconds(60))
        return pipe.read()
    }
}

@Suite struct LogSinkTests {
    @Test func `lines from many threads arrive complete`() async {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.input)
        await withTaskGroup(of: Void.self) { tasks in
            for task in 0..<8 {
                tasks.addTask {
                    for line in 0..<100 { sink.write { $0.append(contentsOf: "\(task)-\(line)\n".utf8) } }
                }
            }
        }
        sink.flush(within: .seconds(60))
        let lines = pipe.read().split(separator: "\n").map(String.init)
        #expect(lines.count == 800)
        #expect(Set(lines).count == 800)
    }

    @Test func `lines are written without a flush`() async throws {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.input)
        sink.write { $0.append(contentsOf: "x\n".utf8) }
        var text = ""
        try await eventually("the line is written") {
            text += pipe.read()
            return text == "x\n"
        }
    }

    @Test func `lines that do not fit into the buffer are dropped and counted`() {
        let pipe = Pipe()
        let sink = LogSink(descriptor: pipe.input, capacity: 1_000)
        let line = Array((String(repeating: "x", count: 99) + "\n").utf8)
        // Far more than the pipe and the buffer hold together.
        for _ in 0..<20_000 { sink.write { $0.append(contentsOf: line) } }
        var text = ""
        let limit = ContinuousClock.now + .seconds(60)
        while !text.contains("log lines dropped"), .now < limit {
            text += pipe.read()
            sink.flush(within: .milliseconds(5))
        }
        #expect(text.contains("log lines dropped\n"))
        #expect(text.count < 20_000 * 100)
    }

    @Test func `a closed descriptor is ignored`() {
        let sink = LogSink(descriptor: -1)
        sink.write { $0.append(contentsOf: "x\n".utf8) }
        sink.flush(within: .seconds(60))
    }
}

/// A pipe from which reading never blocks.
private final class Pipe: Sendable {
    let input: Int32
    private let output: Int32

    init() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        output = ends[0]
        input = ends[1]
    }

    deinit {
        close(output)
        close(input)
    }

    /// Everything that has been written so far.
    func read() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(output, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: chunk.prefix(count))
        }
    }
}
