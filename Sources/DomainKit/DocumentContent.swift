/// What a document consists of, and what it lacks.
public struct DocumentContent: Sendable {
    public let bytes: [UInt8]
    /// What the document lacks although it was loaded, such as a picture that cannot be read: English sentences for the log of
    /// the server.
    public let warnings: [String]

    /// Creates the content from its bytes.
    public init(_ bytes: [UInt8], warnings: [String] = []) {
        self.bytes = bytes
        self.warnings = warnings
    }
}
