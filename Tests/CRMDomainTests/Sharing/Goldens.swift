import DomainKit
import Foundation
import Testing

/// Files with the exact texts that people will paste; `RECORD_GOLDENS=1` rewrites them.
enum Goldens {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Goldens")

    static func expect(_ text: String, toMatch name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["RECORD_GOLDENS"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(Array(text.utf8) == Array(golden.utf8), "\(name):\n\(text)", sourceLocation: sourceLocation)
    }
}

extension Value {
    /// The members of an answer, one headed block each.
    var asGolden: String {
        guard case .object(let object) = self else { return "" }
        return object.members.map { "[\($0.name)]\n\($0.value.text ?? "?")\n" }.joined()
    }
}
