import Testing

@testable import QueryCompiler

@Suite("Pieces of SQL text")
struct SQLTextTests {
    @Test("names are quoted where SQL needs it")
    func identifiers() {
        #expect(SQLIdentifier.sql("date") == "date")
        #expect(SQLIdentifier.sql("user") == "\"user\"")
        #expect(SQLIdentifier.sql("Nom") == "\"Nom\"")
        #expect(SQLIdentifier.sql("a\"b") == "\"a\"\"b\"")
        #expect(SQLIdentifier.sql("") == "\"\"")
    }

    @Test("array elements are quoted, nulls are not")
    func arrays() {
        #expect(ArrayLiteral.text(of: []) == "{}")
        #expect(
            ArrayLiteral.text(of: ["a", nil, "NULL", "x,y}", "\"\\", "é"])
                == #"{"a",NULL,"NULL","x,y}","\"\\","é"}"#)
    }

    @Test("base64url goes both ways for any bytes and takes no other spelling")
    func base64() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        for text in ["A", "AB=", "AB", "A+", "A/", "é", "AA A"] {
            #expect(Base64URL.decode(text) == nil, "\(text)")
        }
    }
}
