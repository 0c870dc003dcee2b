import HTTPServer
import Testing

@testable import RPCServer

@Suite struct CallSettingsTests {
    private func call(in company: Company) -> Call {
        Call(caller: nil, role: nil, company: company, context: CallContext(requestID: "r"))
    }

    @Test func `a read in another company than the installation's own is told its company`() {
        #expect(CallSettings.ofRead(in: call(in: .only)) == nil)
        #expect(CallSettings.ofRead(in: call(in: Company(id: 2))) != nil)
    }
}
