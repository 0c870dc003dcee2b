import Testing

@testable import PostgresDriver

@Suite("What a connection is opened with")
struct ConnectOptionsTests {
    func options(
        _ connectionString: String, _ change: (inout PostgresClient.Configuration) -> Void = { _ in }
    ) throws -> [String: String] {
        var configuration = PostgresClient.Configuration(connectionString: connectionString)
        change(&configuration)
        let keywords = try ConnectOptions(configuration).keywords
        return Dictionary(keywords.map { ($0.key, $0.value) }) { _, last in last }
    }

    @Test("a URI and key/value text say the same")
    func forms() throws {
        let uri = try options("postgresql://me@db.example:5433/shop")
        let text = try options("host=db.example port=5433 user=me dbname=shop")
        #expect(uri == text)
        #expect(uri["host"] == "db.example")
    }

    @Test("defaults against dead networks and needless waits, unless the text says otherwise")
    func defaults() throws {
        let plain = try options("host=a")
        #expect(plain["gssencmode"] == "disable")
        #expect(plain["keepalives_idle"] == "3")
        #expect(plain["tcp_user_timeout"] == "4000")
        #expect(plain["client_encoding"] == "UTF8")
        let own = try options("host=a gssencmode=prefer tcp_user_timeout=0 client_encoding=LATIN1")
        #expect(own["gssencmode"] == "prefer")
        #expect(own["tcp_user_timeout"] == "0")
        #expect(own["client_encoding"] == "UTF8", "every text is UTF-8 here")
    }

    @Test("role and settings travel as options, behind those of the text")
    func settings() throws {
        let all = try options("host=a options='-c work_mem=8MB'") {
            $0.role = "reader"
            $0.settings = ["TimeZone": "UTC", "DateStyle": "ISO, MDY"]
        }
        #expect(all["options"] == #"-c work_mem=8MB -c DateStyle=ISO,\ MDY -c TimeZone=UTC -c role=reader"#)
    }

    @Test("spaces and backslashes in a value do not end it")
    func escapes() {
        #expect(ConnectOptions.options(role: #"a b\c"#, settings: [:]) == #"-c role=a\ b\\c"#)
        #expect(ConnectOptions.options(role: nil, settings: [:]) == "")
    }

    @Test("an unreadable text is refused with a reason")
    func unreadable() {
        #expect(throws: ConnectError.self) { try options("host='unfinished") }
        #expect(throws: ConnectError.self) { try options("nonsense=1") }
    }
}
