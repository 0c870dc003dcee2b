/// The media type of a file of the front.
struct FrontMediaType: Sendable {
    let name: String
    /// Whether the content is text, which becomes shorter when it is compressed.
    let isText: Bool

    static let page = FrontMediaType("text/html; charset=utf-8")
    static let script = FrontMediaType("text/javascript; charset=utf-8")
    static let manifest = FrontMediaType("application/manifest+json")

    /// The type of a file by the end of its name; nil for a kind of file that a front does not have.
    init?(ofFile name: String) {
        guard let dot = name.lastIndex(of: "."), let type = Self.types[String(name[name.index(after: dot)...])] else {
            return nil
        }
        self = type
    }

    private init(_ name: String, isText: Bool = true) {
        self.name = name
        self.isText = isText
    }

    private static let types = [
        "js": script, "css": FrontMediaType("text/css; charset=utf-8"), "svg": FrontMediaType("image/svg+xml"),
        "png": FrontMediaType("image/png", isText: false), "webp": FrontMediaType("image/webp", isText: false),
        "woff2": FrontMediaType("font/woff2", isText: false),
    ]
}
