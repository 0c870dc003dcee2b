import Foundation
import Glibc

/// `postmaster.pid`: what a running Postgres writes about itself into its data directory.
struct PostmasterFile: Equatable {
    let process: pid_t
    let socketDirectory: String?
    let isReady: Bool

    /// Nil when there is none, or it is still being written.
    init?(dataDirectory: String) {
        guard let content = FileManager.default.contents(atPath: Self.path(in: dataDirectory)) else { return nil }
        self.init(content: String(decoding: content, as: UTF8.self))
    }

    /// Line 1 is the process, line 5 the socket directory, line 8 the state.
    init?(content: String) {
        let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let process = pid_t(first) else { return nil }
        self.process = process
        socketDirectory = lines.count > 4 && !lines[4].isEmpty ? String(lines[4]) : nil
        isReady = lines.count > 7 && lines[7].trimmingCharacters(in: .whitespaces) == "ready"
    }

    static func path(in dataDirectory: String) -> String { dataDirectory + "/postmaster.pid" }

    /// Whether the process is there and is the Postgres of this data directory, which is where a postmaster works:
    /// after a crash its number may be anyone's.
    func isAlive(in dataDirectory: String) -> Bool {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/\(process)/cwd", &path, path.count - 1)
        guard length > 0 else {
            // In a container root may not look there; that the number is a Postgres's must do then.
            return (errno == EACCES || errno == EPERM) && name == "postgres"
        }
        let workingDirectory = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let resolved = realpath(dataDirectory, nil) else { return false }
        defer { free(resolved) }
        return workingDirectory == String(cString: resolved)
    }

    /// The name of the process's program.
    private var name: String? {
        FileManager.default.contents(atPath: "/proc/\(process)/comm").map {
            String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
