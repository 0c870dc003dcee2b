import NIOCore

/// Times the stages of one call, each from the end of the one before.
struct StageClock: Sendable {
    /// What is told of the call, so far.
    private(set) var report = CallReport()
    private var last = NIODeadline.now()

    /// The method's name, once it is found.
    var method: String? {
        get { report.method }
        set { report.method = newValue }
    }

    /// Ends `stage`.
    mutating func lap(_ stage: CallReport.Stage) {
        let now = NIODeadline.now()
        report[stage] = (now - last).nanoseconds
        last = now
    }

    /// The report of a call that ended so.
    func report(of error: WireError?) -> CallReport {
        var report = report
        report.code = error?.kind.code
        report.cause = error?.cause
        return report
    }
}
