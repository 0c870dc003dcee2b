import Foundation

/// Prints what the parts of the service cost by themselves, each beside its floor where there is one.
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
