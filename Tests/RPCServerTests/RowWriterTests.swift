import DomainKit
import JSON
import NIOCore
import QueryCompiler
import Testing

@testable import RPCServer

@Suite struct RowWriterTests {
    @Test func `values are written between the literal bytes of the layout`() throws {
        let parts: [RowLayout.Part] = [
            .bytes(Array(#"{"id":"#.utf8)), .bare(0), .bytes(Array(#","day":"#.utf8)), .quoted(1),
            .bytes(Array(#","name":"#.utf8)), .escaped(2), .bytes(Array(#","more":"#.utf8)), .bare(3),
            .bytes(Array("}".utf8)),
        ]
        #expect(
            try write(parts, ["7", "2026-01-12", "a\"b\\c\n\u{1}é", "[1,2]"])
                == #"{"id":7,"day":"2026-01-12","name":"a\"b\\c\n\u0001é","more":[1,2]}"#)
        #expect(try write(parts, [nil, nil, nil, nil]) == #"{"id":null,"day":null,"name":null,"more":null}"#)
    }

    @Test func `a missing related record is null`() throws {
        let parts: [RowLayout.Part] = [
            .bytes(Array(#"{"owner":"#.utf8)),
            .object(presence: 0, [.bytes(Array(#"{"name":"#.utf8)), .escaped(1), .bytes(Array("}".utf8))]),
            .bytes(Array("}".utf8)),
        ]
        #expect(try write(parts, ["1", "Zoé"]) == #"{"owner":{"name":"Zoé"}}"#)
        #expect(try write(parts, ["1", nil]) == #"{"owner":{"name":null}}"#)
        #expect(try write(parts, [nil, nil]) == #"{"owner":null}"#)
    }

    @Test func `a column may stand in the place of a whole record`() throws {
        let parts: [RowLayout.Part] = [
            .unless(0, [.bytes(Array(#"{"name":"#.utf8)), .escaped(1), .bytes(Array("}".utf8))])
        ]
        #expect(try write(parts, [nil, "Zoé"]) == #"{"name":"Zoé"}"#)
        #expect(try write(parts, [#"{"id":1}"#, nil]) == #"{"id":1}"#)
    }

    @Test func `rows that exceed the first buffer are written completely`() throws {
        let parts: [RowLayout.Part] = [.bytes(Array(#"{"a":"#.utf8)), .escaped(0), .bytes(Array("}".utf8))]
        // The sizes range from several rows in one buffer to rows larger than the first buffer.
        let texts = (0..<40).map { String(repeating: "\"é\n", count: $0 * $0) }
        let json = try "[" + write(parts, texts.map { [$0] }) + "]"
        guard case .array(let objects) = try JSONReader.read(json).value else {
            Issue.record("not an array")
            return
        }
        #expect(objects.map { $0["a"]?.text } == texts)
    }

    @Test(arguments: [
        ([], "", false), (["1"], #"{"count":1}"#, false), (["1", "2"], #"{"count":1},{"count":2}"#, false),
        (["1", "2", "3"], #"{"count":1},{"count":2}"#, true),
    ])
    func `the group after the last one only shows that there is a next page`(
        counts: [String], items: String, hasMore: Bool
    ) throws {
        let planner = Planner(domains: [Library.domain])
        let plan = try planner.aggregate(Library.books, ["select": "{ count }", "first": 2])
        var buffer = ByteBuffer()
        try buffer.writeGroups(
            plan, of: TestRows(texts: counts.map { [$0] }), as: RowProgram(plan.layout.parts), upTo: .max)
        #expect(String(buffer: buffer) == #"{"items":[\#(items)],"has_next_page":\#(hasMore)}"#)
    }

    @Test func `rows that certainly exceed the limit are refused before memory is allocated`() {
        let program = RowProgram((0..<2_000).map { _ in .escaped(0) })
        let rows = TestRows(texts: (0..<3).map { _ in [String(repeating: "x", count: 1 << 15)] })
        var buffer = ByteBuffer()
        #expect(throws: ResponseBufferFullError.self) { try buffer.writeRows(3, of: rows, as: program, upTo: 32 << 20) }
        #expect(buffer.capacity < 4_096)
    }

    @Test func `texts that grow by escapes do not exceed the limit`() {
        let program = RowProgram((0..<100).map { _ in .escaped(0) })
        let rows = TestRows(texts: [[String(repeating: "\u{1}", count: 8_192)]])
        var buffer = ByteBuffer()
        #expect(throws: ResponseBufferFullError.self) { try buffer.writeRows(1, of: rows, as: program, upTo: 1 << 20) }
        #expect(buffer.capacity <= 1 << 20)
    }

    @Test(arguments: [1, 3, 50])
    func `rows that fit exactly are written`(count: Int) throws {
        let program = RowProgram([.escaped(0), .quoted(1), .object(presence: 2, [.bare(0)]), .bytes([0x30])])
        let rows = TestRows(texts: (0..<count).map { [String(repeating: "\n", count: 40 * $0), "q", nil] })
        var whole = ByteBuffer()
        try whole.writeRows(count, of: rows, as: program, upTo: .max)
        let size = whole.readableBytes
        var exact = ByteBuffer(string: "[")
        try exact.writeRows(count, of: rows, as: program, upTo: 1 + size)
        #expect(exact.readableBytesView.dropFirst().elementsEqual(whole.readableBytesView))
        var short = ByteBuffer(string: "[")
        #expect(throws: ResponseBufferFullError.self) { try short.writeRows(count, of: rows, as: program, upTo: size) }
        #expect(short.writerIndex <= size)
    }

    private func write(_ parts: [RowLayout.Part], _ texts: [String?]) throws -> String {
        try write(parts, [texts])
    }

    private func write(_ parts: [RowLayout.Part], _ texts: [[String?]]) throws -> String {
        var buffer = ByteBuffer()
        try buffer.writeRows(texts.count, of: TestRows(texts: texts), as: RowProgram(parts), upTo: .max)
        return String(buffer: buffer)
    }
}

/// Rows without a database.
private struct TestRows: RowSource {
    let texts: [[String?]]

    var count: Int { texts.count }

    func text(_ row: Int, _ column: Int) -> String? { texts[row][column] }

    func isNull(_ row: Int, _ column: Int) -> Bool { texts[row][column] == nil }

    func withBytes<R>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
        guard let text = texts[row][column] else { return try body(nil) }
        return try Array(text.utf8).withUnsafeBytes { try body($0) }
    }
}
