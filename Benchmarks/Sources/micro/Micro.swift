import Foundation

/// Prints the cost of single parts of the service, beside the minimum cost of the same work where it is known.
@main
struct Micro {
    static func main() async {
        Report.printHead()
        do {
            try QueryCompilerBenchmark().run()
            RowWriterBenchmark().run()
            let connectionString = ProcessInfo.processInfo.environment["DATABASE_URL"] ?? ""
            try await DriverBenchmark(connectionString: connectionString).run()
        } catch {
            FileHandle.standardError.write(Data("micro: \(error)\n".utf8))
            exit(1)
        }
    }
}
