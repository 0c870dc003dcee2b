import DomainKit
import JSON
import NIOCore
import Testing

@testable import RPCServer

@Suite struct JSONWritingTests {
    @Test func `values are written without white space, in their order`() {
        let value: JSONValue = [
            "b": [.number("1.50"), .null, true, false], "a": ["x": "é"], "c": [], "d": [:],
        ]
        #expect(json(value) == #"{"b":[1.50,null,true,false],"a":{"x":"é"},"c":[],"d":{}}"#)
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
        ("\u{08}\t\n\u{0C}\r", #""\b\t\n\f\r""#), ("\u{0}\u{1}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000f\u0010\u001f""#),
        ("\u{7F}\u{2028}😀", "\"\u{7F}\u{2028}😀\""), ("a\"b\"c", #""a\"b\"c""#),
        ("twelve bytes\nand more than eight", #""twelve bytes\nand more than eight""#),
    ]) func `strings are escaped where they must be`(text: String, expected: String) {
        #expect(json(.string(text)) == expected)
    }

    @Test func `every scalar comes back`() throws {
        var text = ""
        for code in stride(from: UInt32(0), to: 0x11_0000, by: 0x53) {
            if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) }
        }
        for code in UInt32(0)..<0x100 { if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) } }
        let value = try JSONReader.read(json(.string(text))).value
        #expect(value.text.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test func `a string is appended to what is in the buffer`() {
        var buffer = ByteBuffer(string: "[")
        Array("a\"b".utf8).withUnsafeBytes { buffer.appendJSONString($0) }
        buffer.appendJSONString(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(String(buffer: buffer) == #"["a\"b""""#)
    }

    private func json(_ value: JSONValue) -> String {
        var buffer = ByteBuffer()
        buffer.writeJSON(value)
        return String(buffer: buffer)
    }
}
