import ChildProcesses
import Foundation
import TestPostgres
import TestSupport
import Testing

struct MeterReadingsTests {
    /// The executable, which is built next to the test bundle.
    private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("MeterReadings").path

    private static let csv = """
        meter-7,2026-11-20T00:00Z,1000
        meter-7,2026-11-20T23:45Z,1009.5
        meter-7,2026-11-21T00:00Z,1009.75
        meter-7,2026-11-21T12:00Z,1012
        meter-8,2026-11-21T12:00Z,3

        """

    private static func run(
        _ database: TestDatabase, _ arguments: [String], input: String = ""
    ) async throws -> ChildProcess {
        try await ChildProcess.run(
            program, arguments, input: input, environment: ["DATABASE_URL": database.connectionString])
    }

    @Test func `readings are loaded once, watched, corrected, reported and exported`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            for _ in 0..<2 { #expect(try await Self.run(database, ["create"]).status == 0) }
            #expect(try await Self.run(database, ["load"], input: Self.csv).output == "5 lines read, 5 readings new\n")
            #expect(try await Self.run(database, ["load"], input: Self.csv).output == "5 lines read, 0 readings new\n")
            let watcher = try await Watcher(database)
            try await eventually("the program watches") { try watcher.output() == "watching\n" }
            let correct = ["correct", "meter-7", "2026-11-21T12:00Z", "1013.5"]
            #expect(try await Self.run(database, correct).output == "corrected\n")
            #expect(try await Self.run(database, correct).output == "nothing to correct\n")
            try await eventually("the correction is printed") {
                try watcher.output() == "watching\ncorrected: meter-7 2026-11-21 12:00:00+00 1013.5\n"
            }
            await watcher.end()
            #expect(try await database.psql("SELECT meter, was FROM corrections") == "meter-7|1012")
            let report = try await Self.run(database, ["report", "meter-7"])
            #expect(report.output == "2026-11-20  9.5 kWh\n2026-11-21  3.75 kWh\n")
            let export = try await Self.run(database, ["export"])
            #expect(export.output.split(separator: "\n").count == 5)
            #expect(export.output.hasPrefix("meter-7,2026-11-20 00:00:00+00,1000\n"))
        }
    }

    @Test func `a bad line undoes its file, and mistakes have their exit status`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            _ = try await Self.run(database, ["create"])
            let bad = try await Self.run(database, ["load"], input: Self.csv + "meter-9,yesterday at noon,1\n")
            #expect(bad.status == 1 && bad.errors.contains("22007"), "\(bad.errors)")
            #expect(!bad.errors.contains("noon"), "an error that may be logged shows no value")
            #expect(try await database.psql("SELECT count(*) FROM readings") == "0")
            let many = (0..<50_000).map { "meter-\($0 % 100),\(2000 + $0 / 100)-01-01T00:00Z,\($0)\n" }.joined()
            let loaded = try await Self.run(database, ["load"], input: many)
            #expect(loaded.output == "50000 lines read, 50000 readings new\n", "\(loaded.errors)")
            #expect(try await Self.run(database, ["export"]).output.utf8.count > 1_500_000)
            let usage = try await Self.run(database, ["report"])
            #expect(usage.status == 64 && usage.errors.hasPrefix("usage: "))
        }
    }

    /// A process of the program that watches until it is terminated.
    private final class Watcher {
        private let process: BackgroundProcess
        private let file: URL

        init(_ database: TestDatabase) async throws {
            file = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID().uuidString)")
            // `timeout` ends the process if the test process dies first.
            process = try await BackgroundProcess.start(
                "/usr/bin/timeout", ["300", MeterReadingsTests.program, "watch"], log: file.path,
                environment: ["DATABASE_URL": database.connectionString])
        }

        func output() throws -> String { try String(contentsOf: file, encoding: .utf8) }

        func end() async {
            kill(process.id, SIGTERM)
            #expect(await process.waitForEnd() == 128 + SIGTERM)
            try? FileManager.default.removeItem(at: file)
        }
    }
}
