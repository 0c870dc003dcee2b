import Foundation

/// The folder of the SQL files.
enum MigrationsFolder {
    /// - Parameter given: what the settings say; nil looks beside the program and above it, then in the working
    ///   directory.
    static func find(_ given: String?) throws -> String {
        if let given {
            guard isOne(given) else { throw Failure("no migrations in \(given)") }
            return given
        }
        guard let found = candidates.first(where: isOne) else {
            throw Failure("no migrations found beside the program or in the working directory: give --migrations")
        }
        return found
    }

    private static var candidates: [String] {
        var folders: [String] = []
        if let program = Bundle.main.executablePath {
            var folder = URL(fileURLWithPath: program).resolvingSymlinksInPath().deletingLastPathComponent()
            while folder.path != "/" {
                folders.append(folder.appendingPathComponent("migrations").path)
                folders.append(folder.appendingPathComponent("share/learntrack/migrations").path)
                folder.deleteLastPathComponent()
            }
        }
        return folders + [FileManager.default.currentDirectoryPath + "/migrations"]
    }

    private static func isOne(_ folder: String) -> Bool {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue else {
            return false
        }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .contains { $0.hasPrefix("0001_") && $0.hasSuffix(".sql") }
        } catch {
            return false
        }
    }
}
