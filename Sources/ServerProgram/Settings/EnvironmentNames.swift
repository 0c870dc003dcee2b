import DomainKit
import FoundationEssentials

/// Names of environment variables that begin as the settings do.
enum EnvironmentNames {
    private static let prefix = "LEARNTRACK_"

    /// A variable that is no setting, and the one that may be meant.
    struct Unknown: Sendable, CustomStringConvertible {
        let name: String
        let nearest: String?

        var description: String { name + (nearest.map { " (\($0) may be meant)" } ?? "") }
    }

    /// The variables that no setting reads, in the order of their names.
    static func unknown(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [Unknown] {
        let known = Settings.variables.filter { $0.hasPrefix(prefix) }
        return environment.keys.filter { $0.uppercased().hasPrefix(prefix) && !known.contains($0) }.sorted()
            .map { Unknown(name: $0, nearest: known.nearest(to: $0)) }
    }
}
