import Foundation

/// A program of the system's, run to its end.
enum ExternalProgram {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// - Parameters:
    ///   - program: an absolute path; what is missing is an error that names the remedy.
    ///   - folder: where it runs.
    static func run(
        _ program: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:],
        ceiling: Duration = .seconds(180)
    ) async throws -> Outcome {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw HarnessError("\(program) is missing: script/install installs it")
        }
        let scratch = try Scratch()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try scratch.handle("out")
        process.standardError = try scratch.handle("err")
        try process.run()
        do {
            try await eventually("\(program) ends", ceiling: ceiling) { !process.isRunning }
        } catch {
            process.terminate()
            throw error
        }
        return Outcome(
            status: process.terminationStatus, output: try scratch.text("out"), errors: try scratch.text("err"))
    }

    /// The first of `programs` there is: distributions and people put them in different places.
    static func first(of programs: [String]) throws -> String {
        guard let one = programs.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw HarnessError("none of \(programs.joined(separator: ", ")) is there: script/install installs it")
        }
        return one
    }
}

/// A folder that goes with the value that made it.
final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lt-test-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    @discardableResult
    func write(_ text: String, to name: String) throws -> URL {
        try Data(text.utf8).write(to: url(name))
        return url(name)
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
    }

    fileprivate func handle(_ name: String) throws -> FileHandle {
        try write("", to: name)
        return try FileHandle(forWritingTo: url(name))
    }
}
