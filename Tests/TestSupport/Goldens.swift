import Foundation
package import Testing

/// Files with the exact texts that the code is to produce. With `UPDATE_GOLDENS=1` a test run rewrites them.
package enum Goldens {
    /// Expects `text` to equal the file byte for byte.
    /// - Parameters:
    ///   - name: of the file, relative to the folder `Goldens` of the test target, such as `list.sql`.
    ///   - target: the name of the test target.
    package static func expect(
        _ text: String, toMatch name: String, of target: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = URL(filePath: try ProjectFiles.root()).appending(path: "Tests/\(target)/Goldens/\(name)")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(Array(text.utf8) == Array(golden.utf8), "\(name):\n\(text)", sourceLocation: sourceLocation)
    }
}
