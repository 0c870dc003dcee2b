import FoundationEssentials
import Logging
import TextEncodings

/// The file that says how much the server logs. An operator writes a level into it and sends SIGHUP.
struct LogLevelFile: Sendable {
    let path: String
    /// Without the file, and while it is empty.
    let fallback: Logger.Level

    func level() throws -> Logger.Level {
        guard FileManager.default.fileExists(atPath: path) else { return fallback }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw CommandError("--log-level-file: \(path) cannot be read by the account that runs the server")
        }
        let word = String(decoding: content.prefix(64), as: UTF8.self).trimmingWhitespace
        guard !word.isEmpty else { return fallback }
        guard let level = Logger.Level(rawValue: word) else {
            throw CommandError("--log-level-file: \(path): \(Settings.logLevel.expected) is expected")
        }
        return level
    }
}
