import Testing

@testable import PostgresDriver

struct ConnectOptionsTests {
    func options(
        _ connectionString: String, _ change: (inout PostgresClient.Configuration) -> Void = { _ in }
    ) throws -> [String: String] {
        var configuration = PostgresClient.Configuration(connectionString: connectionString)
        change(&configuration)
        let keywords = try ConnectOptions(configuration).keywords
        return Dictionary(keywords.map { ($0.key, $0.value) }) { _, last in last }
    }

    @Test func `a URI and key/value text give the same options`() throws {
        let uri = try options("postgresql://me@db.example:5433/shop")
        let text = try options("host=db.example port=5433 user=me dbname=shop")
        #expect(uri == text)
        #expect(uri["host"] == "db.example")
    }

    @Test func `timeouts for dead networks apply unless the connection string sets them`() throws {
        let plain = try options("host=a")
        #expect(plain["gssencmode"] == "disable")
        #expect(plain["keepalives_idle"] == "3")
        #expect(plain["tcp_user_timeout"] == "4000")
        #expect(plain["client_encoding"] == "UTF8")
        let own = try options("host=a gssencmode=prefer tcp_user_timeout=0 client_encoding=LATIN1")
        #expect(own["gssencmode"] == "prefer")
        #expect(own["tcp_user_timeout"] == "0")
        #expect(own["client_encoding"] == "UTF8", "the driver reads every text as UTF-8")
    }

    @Test func `role and settings are sent as options, after those of the connection string`() throws {
        let all = try options("host=a options='-c work_mem=8MB'") {
            $0.role = "reader"
            $0.settings = ["TimeZone": "UTC", "DateStyle": "ISO, MDY"]
        }
        #expect(all["options"] == #"-c work_mem=8MB -c DateStyle=ISO,\ MDY -c TimeZone=UTC -c role=reader"#)
    }

    @Test func `spaces and backslashes in a setting are escaped`() {
        #expect(ConnectOptions.options(role: #"a b\c"#, settings: [:]) == #"-c role=a\ b\\c"#)
        #expect(ConnectOptions.options(role: nil, settings: [:]) == "")
    }

    @Test func `a malformed connection string is rejected with a reason`() {
        #expect(throws: ConnectError.self) { try options("host='unfinished") }
        #expect(throws: ConnectError.self) { try options("nonsense=1") }
    }
}
