/// A version of the server, such as `1.2.0`.
package struct ReleaseVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let parts: [Int]

    /// The version that this program is built from.
    package static let current = ReleaseVersion(1, 0, 0)

    init(_ major: Int, _ minor: Int, _ patch: Int) { parts = [major, minor, patch] }

    /// - Parameter text: three numbers with full stops between them; nil is returned for anything else.
    package init?(_ text: some StringProtocol) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
        }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else {
            return nil
        }
        self.init(major, minor, patch)
    }

    package static func < (one: ReleaseVersion, other: ReleaseVersion) -> Bool {
        one.parts.lexicographicallyPrecedes(other.parts)
    }

    package var description: String { parts.map(String.init).joined(separator: ".") }
}

/// In JSON a version is its text.
extension ReleaseVersion: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let version = ReleaseVersion(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no version")
        }
        self = version
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
