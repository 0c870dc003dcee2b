import DomainKit
import JSON
import NIOCore
import Testing

@testable import RPCServer

@Suite struct JSONReaderTests {
    @Test(arguments: JSONTexts.valid) func `valid texts are read`(text: String) throws {
        _ = try JSONReader.read(text)
    }

    @Test(arguments: JSONTexts.invalid) func `what is not JSON is a syntax fault`(text: String) {
        #expect(fault(in: text).map(isSyntax) == true)
    }

    @Test(arguments: JSONTexts.invalidBytes) func `bytes that are not UTF-8 are a syntax fault`(bytes: [UInt8]) {
        #expect(fault(in: ByteBuffer(bytes: bytes)).map(isSyntax) == true)
    }

    @Test(arguments: [
        "0", "-0", "1200.50", "1e400", "-1E-7", "123456789012345678901234567890.123456789", "1e+2", "0.10",
    ]) func `numbers keep their digits`(digits: String) throws {
        #expect(try JSONReader.read(digits).value == .number(digits))
        #expect(try JSONReader.read("[\(digits)]").value == .array([.number(digits)]))
    }

    @Test func `values come back as they stand`() throws {
        let text = #"{"b":[1,null,true,false,"x"],"a":{"é":"\u00e9"},"":{}}"#
        let expected: JSONValue = [
            "b": [.number("1"), .null, true, false, "x"], "a": ["é": "é"], "": [:],
        ]
        #expect(try JSONReader.read(text).value == expected)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{08}\u{0C}\n\r\t"),
        (#""\u0041\u00e9\u20AC""#, "Aé€"),
        (#""\uD83D\uDE00 suite""#, "😀 suite"),
        (#""avant \ud83d\ude00""#, "avant 😀"),
        (#""\u0000""#, "\u{0}"),
        (
            #""a longer run, and then \n an escape, and a longer run again""#,
            "a longer run, and then \n an escape, and a longer run again"
        ),
        ("\"\u{7F}\u{2028}é\u{10FFFF}\"", "\u{7F}\u{2028}é\u{10FFFF}"),
    ]) func `strings are unescaped`(text: String, expected: String) throws {
        let value = try JSONReader.read(text).value
        #expect(value.text.map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test func `a string may be of any length around the scanner's stride`() throws {
        for length in 0...40 {
            for special in ["", "\\n", "é"] {
                let text = String(repeating: "a", count: length) + special + String(repeating: "b", count: length)
                let expected = text.replacing("\\n", with: "\n")
                #expect(try JSONReader.read("\"\(text)\"").value == .string(expected))
                #expect(fault(in: "\"\(text)\u{1F}\"").map(isSyntax) == true)
            }
        }
    }

    @Test func `names written twice are reported with their place`() throws {
        let text = #"{"a":1,"params":{"x":[{"y":1,"y":2},{"y":3}],"x/~":{"z":1,"z":2}},"a":2,"a":3}"#
        let document = try JSONReader.read(text)
        #expect(document.duplicates == ["/params/x/0/y", "/params/x~1~0/z", "/a", "/a"])
        #expect(document.value["a"] == .number("1"))
    }

    @Test func `names written twice are found among many`() throws {
        let members = (0..<100).map { "\"k\($0)\":\($0)" } + ["\"k7\":0"]
        #expect(try JSONReader.read("{" + members.joined(separator: ",") + "}").duplicates == ["/k7"])
        #expect(try JSONReader.read("{" + members.dropLast().joined(separator: ",") + "}").duplicates.isEmpty)
    }

    @Test func `a flood of names written twice stays cheap`() throws {
        let inner = "{" + String(repeating: "\"a\":1,", count: 50_000) + "\"a\":1}"
        let document = try JSONReader.read(
            String(repeating: "[", count: 60) + inner + String(repeating: "]", count: 60))
        #expect(document.duplicates.count == 20)
    }

    @Test func `a long name is not repeated whole for each duplicate inside`() throws {
        let members = Array(repeating: "\"a\":1", count: 50).joined(separator: ",")
        let name = String(repeating: "/", count: 100_000)
        let document = try JSONReader.read("{\"\(name)\":{\(members)}}")
        #expect(document.duplicates.allSatisfy { $0.utf8.count < 300 && $0.hasSuffix("…/a") })
    }

    @Test func `depth is limited`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONReader.read(nested(64))
        #expect(fault(in: nested(65)) == .depth(offset: 64))
        #expect(fault(in: String(repeating: "{\"a\":", count: 100_000)) == .depth(offset: 64 * 5))
        #expect(throws: JSONError.depth(offset: 1)) { try JSONReader.read("[{}]", maxDepth: 1) }
        #expect(throws: JSONError.depth(offset: 512)) {
            try JSONReader.read(String(repeating: "[", count: 100_000), maxDepth: 1_000_000)
        }
    }

    @Test func `syntax faults tell where reading stopped`() {
        #expect(fault(in: "") == .syntax(offset: 0))
        #expect(fault(in: "[1,]") == .syntax(offset: 3))
        #expect(fault(in: "{\"a\" 1}") == .syntax(offset: 5))
        #expect(fault(in: "true x") == .syntax(offset: 5))
    }

    @Test func `mutated texts never do worse than a fault`() throws {
        let seed = Array(#"{"jsonrpc":"2.0","id":1,"params":{"a":[1.5e3,"\u00e9😀\ud83d\ude00",null,true]}}"#.utf8)
        var generator = SplitMix(state: 42)
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: place)
                }
            }
            // Most mutations are invalid.
            guard let document = try? JSONReader.read(ByteBuffer(bytes: bytes)) else { continue }
            var written = ByteBuffer()
            written.writeJSON(document.value)
            #expect(try JSONReader.read(written).value == document.value)
        }
    }

    private func fault(in text: String) -> JSONError? { fault(in: ByteBuffer(string: text)) }

    private func fault(in bytes: ByteBuffer) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONReader.read(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func isSyntax(_ fault: JSONError) -> Bool {
        if case .syntax = fault { true } else { false }
    }
}

/// Random numbers that are the same each time.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
