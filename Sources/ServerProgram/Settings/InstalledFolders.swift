import FoundationEssentials
import Glibc

/// Where the files that belong to the program may be.
enum InstalledFolders {
    /// The places of the folder of this name, the first choice first: beside the program and in the folders above it, as in a
    /// checkout, and there in `share/learntrack`, as in a package; then in the working directory.
    static func named(_ name: String) -> [String] {
        var folders: [String] = []
        if let program = realpath("/proc/self/exe", nil) {
            defer { free(program) }
            var folder = URL(fileURLWithPath: String(cString: program)).deletingLastPathComponent()
            while folder.path != "/" {
                folders.append(folder.appendingPathComponent(name).path)
                folders.append(folder.appendingPathComponent("share/learntrack/\(name)").path)
                folder.deleteLastPathComponent()
            }
        }
        return folders + [FileManager.default.currentDirectoryPath + "/\(name)"]
    }
}
