import Testing

@testable import PostgresDriver

@Suite("Telling a COPY from other statements before it is sent")
struct CopyStatementTests {
    @Test(
        "a COPY is one behind space and comments, in any case",
        arguments: [
            "COPY t TO STDOUT", "copy t TO STDOUT", "\n\t -- one\n/* two /* nested */ -- */ Copy(SELECT 1) TO STDOUT",
            "COPY\"t\" TO STDOUT",
        ])
    func copies(sql: String) throws {
        try CopyStatement.check(sql)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "DELETE FROM t", "copyright", "copy1 t", "-- COPY t TO STDOUT", "/* COPY t", "COP",
            "COPY t TO STDOUT\0",
        ])
    func others(sql: String) {
        #expect(throws: PostgresError.self) { try CopyStatement.check(sql) }
    }
}
