import Testing

@testable import PostgresDriver

struct CopySyntaxTests {
    @Test(arguments: [
        "COPY t TO STDOUT", "copy t TO STDOUT", "\n\t -- one\n/* two /* nested */ -- */ Copy(SELECT 1) TO STDOUT",
        "COPY\"t\" TO STDOUT",
    ])
    func `a COPY is recognised after spaces and comments, in any letter case`(sql: String) throws {
        try CopyStatement.check(sql)
    }

    @Test(arguments: [
        "", "DELETE FROM t", "copyright", "copy1 t", "-- COPY t TO STDOUT", "/* COPY t", "COP",
        "COPY t TO STDOUT\0",
    ])
    func `any other statement is rejected`(sql: String) {
        #expect(throws: PostgresError.self) { try CopyStatement.check(sql) }
    }

    @Test func `separators within values are escaped, and null differs from the empty string`() {
        var encoder = CopyTextEncoder()
        encoder.append(["a", "", nil, "\\N", "é\t\n\r\\."])
        encoder.append([])
        encoder.append(["7"])
        #expect(String(decoding: encoder.bytes, as: UTF8.self) == "a\t\t\\N\t\\\\N\té\\t\\n\\r\\\\.\n\n7\n")
        let taken = encoder.take()
        #expect(taken.count == 25)
        #expect(encoder.bytes.isEmpty)
    }
}
