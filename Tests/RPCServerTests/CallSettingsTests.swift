import HTTPServer
import PostgresDriver
import Testing

@testable import RPCServer

@Suite struct CallSettingsTests {
    private let installation = Installation(database: PostgresClient(.init(connectionString: "")))

    private func call(in company: Company) -> Call {
        Call(caller: nil, role: nil, company: company, context: CallContext(requestID: "r"))
    }

    @Test func `a read in another company than the installation's own is told its company`() {
        #expect(CallSettings.ofRead(in: call(in: .only), of: installation) == nil)
        #expect(CallSettings.ofRead(in: call(in: Company(id: 2)), of: installation) != nil)
        #expect(CallSettings.ofRead(in: .only, of: installation) == nil)
        #expect(CallSettings.ofRead(in: Company(id: 2), of: installation) != nil)
    }

    @Test func `each read is told its company in an installation that serves several`() {
        installation.note(isEnabled: true, at: .now)
        #expect(CallSettings.ofRead(in: call(in: .only), of: installation) != nil)
        #expect(CallSettings.ofRead(in: .only, of: installation) != nil)
    }

    @Test func `what the database has said holds for seconds, and then each read is told its company`() {
        installation.note(isEnabled: false, at: .now)
        #expect(CallSettings.ofRead(in: call(in: .only), of: installation) == nil)
        installation.note(isEnabled: false, at: .now - .seconds(10))
        #expect(CallSettings.ofRead(in: call(in: .only), of: installation) != nil)
    }
}
