import Synchronization

/// Gathers what the calls of one request report; a batch's members may report from several threads.
package final class RequestRecord: Sendable {
    private let reports = Mutex<[CallReport]>([])

    package init() {}

    package func add(_ report: CallReport) {
        reports.withLock { $0.append(report) }
    }

    package var calls: [CallReport] { reports.withLock { $0 } }
}
