import PostgresDriver
import Testing

@Suite("Rows as COPY text")
struct CopyTextTests {
    @Test("values are parted by tabs, rows by line feeds; what would part them is escaped; null is not empty")
    func escapes() {
        var text = CopyText()
        text.append(["a", "", nil, "\\N", "é\t\n\r\\."])
        text.append([])
        text.append(["7"])
        #expect(String(decoding: text.bytes, as: UTF8.self) == "a\t\t\\N\t\\\\N\té\\t\\n\\r\\\\.\n\n7\n")
        let taken = text.take()
        #expect(taken.count == 25)
        #expect(text.bytes.isEmpty)
    }
}
