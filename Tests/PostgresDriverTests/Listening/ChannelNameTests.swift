import Testing

@testable import PostgresDriver

@Suite("Names of channels")
struct ChannelNameTests {
    @Test("stand between quotes, their own quotes doubled")
    func quoting() throws {
        #expect(try ChannelName.quoted("orders") == "\"orders\"")
        #expect(try ChannelName.quoted("a\"; DROP TABLE t; --") == "\"a\"\"; DROP TABLE t; --\"")
        #expect(try ChannelName.listen(to: ["a", "É"]) == "LISTEN \"a\";LISTEN \"É\";")
    }

    @Test(
        "are refused when the server would cut them or could not take them",
        arguments: [
            "", String(repeating: "a", count: 64), String(repeating: "é", count: 32), "a\0b",
        ])
    func refused(name: String) {
        #expect(throws: PostgresError.self) { try ChannelName.quoted(name) }
    }

    @Test("may have 63 bytes; there must be one")
    func limits() throws {
        #expect(try ChannelName.quoted(String(repeating: "a", count: 63)).utf8.count == 65)
        #expect(throws: PostgresError.self) { try ChannelName.listen(to: []) }
    }
}
