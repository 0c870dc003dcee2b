import JSON
import Testing

@testable import QueryCompiler

struct SQLTextTests {
    @Test
    func `identifiers are quoted where SQL requires it`() {
        #expect(SQLIdentifier.sql("date") == "date")
        #expect(SQLIdentifier.sql("user") == "\"user\"")
        #expect(SQLIdentifier.sql("Nom") == "\"Nom\"")
        #expect(SQLIdentifier.sql("a\"b") == "\"a\"\"b\"")
        #expect(SQLIdentifier.sql("") == "\"\"")
    }

    @Test
    func `the elements of an array literal are quoted except null`() {
        #expect(ArrayLiteral.text(of: []) == "{}")
        #expect(
            ArrayLiteral.text(of: ["a", nil, "NULL", "x,y}", "\"\\", "é"])
                == #"{"a",NULL,"NULL","x,y}","\"\\","é"}"#)
    }
}
