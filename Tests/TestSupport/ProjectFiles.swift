package import Foundation
import Glibc

/// Where the files of this project are, independently of the working directory.
package enum ProjectFiles {
    /// The folder of Package.swift.
    package static func root(_ thisFile: String = #filePath) throws -> String {
        guard let resolved = realpath(thisFile, nil) else { throw TestEnvironmentError("no file \(thisFile)") }
        defer { free(resolved) }
        var folder = URL(fileURLWithPath: String(cString: resolved)).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            guard folder.path != "/" else { throw TestEnvironmentError("no Package.swift above \(thisFile)") }
            folder.deleteLastPathComponent()
        }
        return folder.path
    }

    /// The folder of the migrations.
    package static func migrationsFolder() throws -> String { try root() + "/migrations" }

    /// The paths of the migrations, in the order in which they are applied: for each domain the numbered files, then those
    /// of its functions.
    package static func migrations() throws -> [String] {
        try ["kernel", "kernel/functions", "crm", "crm/functions"].flatMap { name in
            let folder = try migrationsFolder() + "/" + name
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sql") }.sorted()
                .map { "\(folder)/\($0)" }
        }
    }
}

/// A new folder for a test's files. It is removed with the last reference to it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package var url: URL { URL(filePath: path) }

    package init() throws {
        path = "/tmp/lt-test-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path)") }
    }

    package func url(_ name: String) -> URL { url.appending(path: name) }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> URL {
        try Data(text.utf8).write(to: url(name))
        return url(name)
    }

    package func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
    }

    /// Creates an empty file, open for writing.
    package func emptyFile(_ name: String) throws -> FileHandle {
        try write("", to: name)
        return try FileHandle(forWritingTo: url(name))
    }
}
