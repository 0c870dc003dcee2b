import FoundationEssentials

/// The folder that the build of a front writes: the shell, the manifest, the service worker, the files below `/app/` and the
/// paths that the shell answers.
package struct FrontFolder: Sendable {
    private let path: String

    static let shell = "index.html"
    static let manifest = "manifest.webmanifest"
    static let worker = "sw.js"
    static let routes = "routes.txt"
    private static let app = "app"

    /// Whether there is a front at this path. The folder of its sources is none: it has no list of paths.
    package static func isFront(_ path: String) -> Bool {
        [shell, worker, routes].allSatisfy { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
    }

    init(_ path: String) { self.path = path }

    func content(of name: String) throws(FrontError) -> [UInt8] {
        guard let content = FileManager.default.contents(atPath: "\(path)/\(name)") else {
            throw FrontError(description: "\(path)/\(name) cannot be read")
        }
        return Array(content)
    }

    /// The files below `/app/`, whose names have a hash of their content.
    func appFiles() throws(FrontError) -> [(name: String, content: [UInt8])] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(Self.app)")
        } catch {
            throw FrontError(description: "\(path)/\(Self.app) cannot be read")
        }
        var files: [(name: String, content: [UInt8])] = []
        for name in names.sorted() { files.append((name, try content(of: "\(Self.app)/\(name)"))) }
        return files
    }

    /// The paths that the shell answers, one a line; `{id}` in them stands for the number of a record.
    func shellPaths() throws(FrontError) -> [String] {
        let lines = String(decoding: try content(of: Self.routes), as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.contains("/"), lines.allSatisfy({ $0.hasPrefix("/") }) else {
            throw FrontError(description: "\(path)/\(Self.routes): paths, and / among them, are expected")
        }
        return lines.map(String.init)
    }
}
