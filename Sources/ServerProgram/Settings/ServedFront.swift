import FrontPages

/// Finds the folder of the front, and reads it.
enum ServedFront {
    /// The setting of a server that has no pages although there are some.
    private static let none = "none"

    /// - Parameter given: the setting; nil: looks where the program is installed, and for what a checkout has built.
    static func find(_ given: String?) throws -> Front? {
        if given == none { return nil }
        if let given, !FrontFolder.isFront(given) {
            throw CommandError("there is no front in \(given): script/front builds one")
        }
        let candidates = InstalledFolders.named("front") + InstalledFolders.named(".build/front")
        guard let folder = given ?? candidates.first(where: FrontFolder.isFront) else { return nil }
        do throws(FrontError) {
            return try Front(folder: folder)
        } catch {
            throw CommandError("--front: \(error)")
        }
    }
}
