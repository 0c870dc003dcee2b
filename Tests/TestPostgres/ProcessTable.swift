import Foundation

/// What the kernel tells of other processes.
enum ProcessTable {
    static func children(of parent: pid_t) throws -> [pid_t] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        return names.compactMap { pid_t($0) }.filter { stat($0)?.parent == parent }
    }

    static func isZombie(_ process: pid_t) -> Bool { stat(process)?.state == "Z" }

    /// The fields after the name, which stands in brackets and may itself hold blanks.
    private static func stat(_ process: pid_t) -> (state: Substring, parent: pid_t)? {
        guard let content = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        let text = String(decoding: content, as: UTF8.self)
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        guard fields.count > 1, let parent = pid_t(fields[1]) else { return nil }
        return (fields[0], parent)
    }
}
