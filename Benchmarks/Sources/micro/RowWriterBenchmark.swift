import RowWriting

/// Rows of texts to the bytes of an answer.
struct RowWriterBenchmark {
    func run() {
        let page = RowWriterPage(rows: 100)
        var measurement = Measurement()
        for _ in 0..<100 { _ = page.run() }
        for _ in 0..<1_000 { measurement.measure { _ = page.run() } }
        Report.add("write a page of 100 rows", measurement)
    }
}
