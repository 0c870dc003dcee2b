import FoundationEssentials
import Glibc

/// What processes have left that were killed while they worked: files and folders with the id of the process in their names.
enum Leftovers {
    /// Removes those of processes that have ended.
    ///
    /// - Parameter prefix: the path up to the id of the process.
    static func remove(startingWith prefix: String) {
        guard let slash = prefix.lastIndex(of: "/") else { return }
        let folder = String(prefix[...slash])
        let start = prefix[prefix.index(after: slash)...]
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names where name.hasPrefix(start) {
            guard let process = pid_t(name.dropFirst(start.count).prefix { $0.isNumber }), process != getpid(),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            // What belongs to others stays.
            try? FileManager.default.removeItem(atPath: folder + name)
        }
    }
}
