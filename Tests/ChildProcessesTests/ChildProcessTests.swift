import ChildProcesses
import Testing

@Suite struct ChildProcessTests {
    private static let environment = ["PATH": "/usr/bin:/bin"]

    /// Far more than a pipe holds.
    private static let large = String(repeating: "0123456789abcdef", count: 65_536)

    @Test func aProgramReadsItsWholeInput() async throws {
        let run = try await ChildProcess.run("cat", [], input: Self.large, environment: Self.environment)
        #expect(run.status == 0)
        #expect(run.output == Self.large)
    }

    @Test func withoutInputAProgramReadsAnEndAtOnce() async throws {
        let run = try await ChildProcess.run("wc", ["-c"], environment: Self.environment)
        #expect(run.output == "0\n")
    }

    @Test func aProgramMayEndBeforeItHasReadItsInput() async throws {
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        let run = try await ChildProcess.run(
                            "sh", ["-c", "head -c 1; exit 3"], input: Self.large, environment: Self.environment)
                        guard run.status == 3, run.output == "0" else { return run.status }
                    }
                    return 3
                }
            }
            for try await status in group { #expect(status == 3) }
        }
    }

    @Test func theStatusOfAKilledProgramIsThatOfAShell() async throws {
        let run = try await ChildProcess.run(
            "sh", ["-c", "echo last words >&2; kill -9 $$"], input: "x", environment: Self.environment)
        #expect(run.status == 137)
        #expect(run.errors == "last words\n")
    }

    @Test func aMissingProgramIsAnError() async {
        let error = await #expect(throws: (any Error).self) {
            try await ChildProcess.run("no-such-program", [], input: "x", environment: Self.environment)
        }
        #expect(error.map { "\(type(of: $0))" } == "SubprocessError")
    }
}
