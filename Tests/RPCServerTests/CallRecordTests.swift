import HTTPServer
import JSON
import Logging
import Testing

@testable import RPCServer

@Suite struct CallRecordTests {
    @Test func `the summary names the methods and the codes of failed calls`() {
        let record = CallRecord()
        #expect(record.summary == nil)
        record.add(CallReport(method: "sessions.list"))
        #expect(record.summary == "sessions.list")
        record.add(CallReport(method: "sessions.get", code: 404))
        record.add(CallReport(code: -32601))
        #expect(record.summary == "sessions.list,sessions.get=404,-=-32601")
    }

    @Test func `the summary of a transaction names its calls, with their number where one method follows itself`() {
        let record = CallRecord()
        var report = CallReport(method: "transaction.run", code: 404)
        report.innerMethods = ["clients.create", "sessions.create", "sessions.create", "clients.create"]
        record.add(report)
        #expect(record.summary == "transaction.run(clients.create+sessions.create*2+clients.create)=404")
    }

    @Test func `a report keeps the time of each stage`() {
        var report = CallReport(method: "sessions.get")
        report[.execute] = 3_000_000
        #expect(report[.execute] == 3_000_000)
        #expect(report[.plan] == 0)
    }
}
