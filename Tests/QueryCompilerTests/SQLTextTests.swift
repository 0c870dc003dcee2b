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
}
