import RowWriting

/// Measures the row writer, which writes result rows as JSON.
struct RowWriterBenchmark {
    func run() {
        let page = RowWriterPage(rows: 100)
        var measurement = Measurement()
        for _ in 0..<100 { _ = page.run() }
        for _ in 0..<1_000 { measurement.measure { _ = page.run() } }
        Report.add("write a page of 100 rows", measurement)
    }
}
