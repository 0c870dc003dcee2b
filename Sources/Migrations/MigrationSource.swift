/// A folder of migrations: that of the kernel or that of a domain.
package struct MigrationSource: Sendable, Equatable {
    /// `kernel`, or the name of the domain. The database records the files under it.
    package let domain: String
    package let folder: String
    /// The domains with the files that come first. Those of the kernel come before all.
    package let requires: [String]

    package static let kernel = "kernel"

    package init(domain: String, folder: String, requires: [String] = []) {
        self.domain = domain
        self.folder = folder
        self.requires = requires
    }

    /// The sources in the order in which they are applied: as given, but for the kernel, which is first, and for the
    /// domains that another requires.
    package static func ordered(_ sources: [MigrationSource]) throws(MigrationError) -> [MigrationSource] {
        var ordered: [MigrationSource] = []
        func add(_ source: MigrationSource, requiredBy path: [String]) throws(MigrationError) {
            guard !ordered.contains(where: { $0.domain == source.domain }) else { return }
            guard !path.contains(source.domain) else {
                throw MigrationError("domains require each other: \((path + [source.domain]).joined(separator: ", "))")
            }
            for name in source.requires {
                guard let required = sources.first(where: { $0.domain == name }) else {
                    throw MigrationError("the domain \(source.domain) requires the domain \(name), which is not served")
                }
                try add(required, requiredBy: path + [source.domain])
            }
            ordered.append(source)
        }
        if let kernel = sources.first(where: { $0.domain == Self.kernel }) { try add(kernel, requiredBy: []) }
        for source in sources { try add(source, requiredBy: []) }
        return ordered
    }
}
