import Foundation
import TestSupport
import Testing

/// Runs a program of the system.
enum ExternalProgram {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// - Parameters:
    ///   - program: an absolute path. Throws an error that names the remedy when it does not exist.
    ///   - folder: the working directory.
    static func run(
        _ program: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:],
        ceiling: Duration = .seconds(180)
    ) async throws -> Outcome {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestEnvironmentError("\(program) is missing: script/install installs it")
        }
        let scratch = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try scratch.emptyFile("out")
        process.standardError = try scratch.emptyFile("err")
        try process.run()
        do {
            try await eventually("\(program) ends", within: ceiling) { !process.isRunning }
        } catch {
            process.terminate()
            throw error
        }
        return Outcome(
            status: process.terminationStatus, output: try scratch.text("out"), errors: try scratch.text("err"))
    }

    /// The first of `programs` that exists. Distributions install them in different places.
    static func first(of programs: [String]) throws -> String {
        guard let one = programs.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw TestEnvironmentError(
                "none of \(programs.joined(separator: ", ")) is there: script/install installs it")
        }
        return one
    }
}
