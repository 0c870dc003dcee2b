import DomainKit
import NIOCore
import QueryCompiler
import Testing

@testable import RPCServer

@Suite struct RowWriterTests {
    @Test func textsAreCopiedBetweenTheBytesOfTheLayout() {
        let parts: [RowLayout.Part] = [
            .bytes(Array(#"{"id":"#.utf8)), .bare(0), .bytes(Array(#","day":"#.utf8)), .quoted(1),
            .bytes(Array(#","name":"#.utf8)), .escaped(2), .bytes(Array(#","more":"#.utf8)), .bare(3),
            .bytes(Array("}".utf8)),
        ]
        #expect(
            write(parts, ["7", "2026-01-12", "a\"b\\c\n\u{1}é", "[1,2]"])
                == #"{"id":7,"day":"2026-01-12","name":"a\"b\\c\n\u0001é","more":[1,2]}"#)
        #expect(write(parts, [nil, nil, nil, nil]) == #"{"id":null,"day":null,"name":null,"more":null}"#)
    }

    @Test func aRelatedRecordThatIsNotThereIsNull() {
        let parts: [RowLayout.Part] = [
            .bytes(Array(#"{"owner":"#.utf8)),
            .object(presence: 0, [.bytes(Array(#"{"name":"#.utf8)), .escaped(1), .bytes(Array("}".utf8))]),
            .bytes(Array("}".utf8)),
        ]
        #expect(write(parts, ["1", "Zoé"]) == #"{"owner":{"name":"Zoé"}}"#)
        #expect(write(parts, ["1", nil]) == #"{"owner":{"name":null}}"#)
        #expect(write(parts, [nil, nil]) == #"{"owner":null}"#)
    }

    @Test func rowsThatDoNotFitAtOnceAreWrittenWhole() throws {
        let parts: [RowLayout.Part] = [.bytes(Array(#"{"a":"#.utf8)), .escaped(0), .bytes(Array("}".utf8))]
        // From what fits with the next to what is larger than any first guess.
        let texts = (0..<40).map { String(repeating: "\"é\n", count: $0 * $0) }
        let json = "[" + write(parts, texts.map { [$0] }) + "]"
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
    func theGroupTooManyOnlyTellsOfMore(counts: [String], items: String, hasMore: Bool) throws {
        let planner = Planner(domains: [Library.domain])
        let plan = try planner.aggregate(Library.books, ["select": "{ count }", "first": 2])
        var buffer = ByteBuffer()
        buffer.writeGroups(plan, of: TestRows(texts: counts.map { [$0] }), as: RowProgram(plan.layout.parts))
        #expect(String(buffer: buffer) == #"{"items":[\#(items)],"has_next_page":\#(hasMore)}"#)
    }

    private func write(_ parts: [RowLayout.Part], _ texts: [String?]) -> String {
        write(parts, [texts])
    }

    private func write(_ parts: [RowLayout.Part], _ texts: [[String?]]) -> String {
        var buffer = ByteBuffer()
        buffer.writeRows(texts.count, of: TestRows(texts: texts), as: RowProgram(parts))
        return String(buffer: buffer)
    }
}

/// Rows that no database gave.
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
