/// A format of files that clients give to the server. The server recognises it by the content of a file, not by what the
/// client says about it.
public enum FileKind: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    /// Without scripts and without references to anything outside the file.
    case svg = "image/svg+xml"
    case pdf = "application/pdf"

    /// The media type, as the header `Content-Type` has it.
    public var mediaType: String { rawValue }

    /// The most pixels of a picture. The server takes no larger one, and documents draw none.
    public static let maxPixels = 16_000_000
}

/// Which files a column may name.
///
/// A client sends the bytes of a file with `PUT /files` and gives the answered id as the value of the column. It can name only
/// files of its own account. Who may read the record may then read the file. A member of the objects in a column may name files,
/// too: ``ListedFile``.
///
/// The column is a `bigint` with a foreign key to `kernel.files`, an index, and the trigger that `kernel.file_keep` makes:
///
/// ```swift
/// Column("cover", .bigint, file: FileRule([.png, .jpeg], maxBytes: 200_000), summary: "Couverture.")
/// // cover bigint, CONSTRAINT books_cover_fkey FOREIGN KEY (company_id, cover) REFERENCES kernel.files (company_id, id)
/// // SELECT kernel.file_keep('bookshop.books', 'cover', 200000, 'image/png', 'image/jpeg');
/// ```
public struct FileRule: Sendable, Equatable {
    /// The formats that are allowed.
    public let kinds: [FileKind]
    /// The size of the largest file that is allowed.
    public let maxBytes: Int

    /// Creates a rule from the formats and the size that are allowed.
    public init(_ kinds: [FileKind], maxBytes: Int) {
        self.kinds = kinds
        self.maxBytes = maxBytes
    }
}
