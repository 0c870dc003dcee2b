import HTTPServer
import JSON
import Logging
import Testing

@testable import RPCServer

@Suite struct CallRecordTests {
    @Test func `the log has the method and the code of each call, and its time`() {
        let record = CallRecord()
        #expect(record.loggedCalls == [])
        var first = CallReport(method: "sessions.list")
        first[.plan] = 1_000
        first[.execute] = 20_000
        record.add(first)
        record.add(CallReport(method: "sessions.get", code: 404))
        record.add(CallReport(code: -32601))
        #expect(
            record.loggedCalls == [
                LoggedCall(method: "sessions.list", code: 0, nanoseconds: 21_000),
                LoggedCall(method: "sessions.get", code: 404, nanoseconds: 0),
                LoggedCall(method: "-", code: -32601, nanoseconds: 0),
            ])
    }

    @Test func `the method of a transaction names its calls, with their number where one method follows itself`() {
        let record = CallRecord()
        var report = CallReport(method: "transaction.run", code: 404)
        report.innerMethods = ["clients.create", "sessions.create", "sessions.create", "clients.create"]
        record.add(report)
        let logged = record.loggedCalls.first
        #expect(logged?.method == "transaction.run(clients.create+sessions.create*2+clients.create)")
        #expect(logged?.code == 404)
    }

    @Test func `a report keeps the time of each stage`() {
        var report = CallReport(method: "sessions.get")
        report[.execute] = 3_000_000
        #expect(report[.execute] == 3_000_000)
        #expect(report[.plan] == 0)
    }
}
