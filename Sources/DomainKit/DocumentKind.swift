/// The format of a document, and how servers and browsers treat it.
public struct DocumentKind: Sendable, Hashable {
    /// The media type, as the header `Content-Type` has it.
    public let mediaType: String
    /// Whether a document takes so long to make, tens of milliseconds or more, that few are made at once.
    public let isSlow: Bool
    /// Whether a browser shows the document instead of saving it as a file.
    public let isShown: Bool

    /// Creates a kind.
    ///
    /// - Parameters:
    ///   - mediaType: the media type, with its parameters.
    ///   - isSlow: whether a document takes long to make.
    ///   - isShown: whether a browser shows it. False for formats that may contain scripts.
    public init(mediaType: String, isSlow: Bool = false, isShown: Bool = false) {
        self.mediaType = mediaType
        self.isSlow = isSlow
        self.isShown = isShown
    }

    /// A page layout (PDF).
    public static let pdf = DocumentKind(mediaType: "application/pdf", isSlow: true, isShown: true)
    /// A calendar (iCalendar, RFC 5545).
    public static let calendar = DocumentKind(mediaType: "text/calendar; charset=utf-8")
    /// A table (CSV, RFC 4180).
    public static let csv = DocumentKind(mediaType: "text/csv; charset=utf-8; header=present")
    /// A picture (PNG).
    public static let png = DocumentKind(mediaType: "image/png", isSlow: true, isShown: true)
}
