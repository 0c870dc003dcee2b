public import JSON

/// What a method reads, with the rights of its caller, before it computes its result: a record, the rows of a list, numbers about
/// rows, the bytes of a file, the picture that a file shows, or the time zone of the service.
///
/// ```swift
/// Load.record("{ title author { name } }")
/// Load.rows(of: "loans", "{ reader since }", atMost: 1_000) { parameters in
///     ["where": ["since": ["gte": parameters["from"] ?? .null]], "order_by": ["since"]]
/// }
/// Load.groups(of: "loans", "{ count }") { parameters in ["where": ["since": ["gte": parameters["from"] ?? .null]]] }
/// Load.file("extract", of: "books")
/// Load.picture("cover", of: "books")
/// ```
public struct Load: Sendable {
    /// Which records are read.
    public enum Records: Sendable {
        /// The record of the method's entity with the `id` that the call gives. A call for a record that does not exist is
        /// answered with 404.
        case called
        /// At most so many rows. The function makes the params of the entity's `list` from the parameters of the call: `where`,
        /// `search`, `order_by`, and the parameters of a view.
        case rows(of: String, atMost: Int, @Sendable (_ parameters: [String: JSONValue]) -> JSONValue)
        /// Numbers about rows. The function makes the params of the entity's `aggregate`, without `select`.
        case groups(of: String, @Sendable (_ parameters: [String: JSONValue]) -> JSONValue)
        /// The file that a column names in the record that an earlier load has read, or in its first row.
        case file(column: String, of: String, FileForm)
        case timeZone
    }

    /// What is read of a file.
    public enum FileForm: Sendable {
        /// Its bytes.
        case bytes
        /// What it shows, as a PNG that the server has drawn.
        case picture
    }

    public let records: Records
    /// The selection of each record; empty for a file. It may contain every field that the roles of the method may read: the
    /// caller sees only what the method makes of it.
    public let selection: String

    /// The record that the call is for. It is loaded as a JSON object.
    public static func record(_ selection: String) -> Load {
        Load(records: .called, selection: selection)
    }

    /// The rows of a list, loaded as a JSON array.
    ///
    /// - Parameters:
    ///   - entity: the name of an entity of the same domain.
    ///   - selection: the selection of each row.
    ///   - atMost: how many rows are read; further ones are left out.
    ///   - params: makes the params of `list`, an object, from the parameters of the call.
    public static func rows(
        of entity: String, _ selection: String, atMost: Int,
        params: @escaping @Sendable (_ parameters: [String: JSONValue]) -> JSONValue = { _ in .object(JSONObject()) }
    ) -> Load {
        Load(records: .rows(of: entity, atMost: atMost, params), selection: selection)
    }

    /// Numbers about rows, however many there are, loaded as a JSON array of groups, such as `[{"count": 310}]`.
    ///
    /// - Parameters:
    ///   - entity: the name of an entity of the same domain.
    ///   - selection: the numbers of each group: `{ count sum { pages } }`.
    ///   - params: makes the params of `aggregate`, an object: `where`, `search`, `group_by`, `order_by`, `first`.
    public static func groups(
        of entity: String, _ selection: String,
        params: @escaping @Sendable (_ parameters: [String: JSONValue]) -> JSONValue = { _ in .object(JSONObject()) }
    ) -> Load {
        Load(records: .groups(of: entity, params), selection: selection)
    }

    /// The time zone of the service: `{"name": "Europe/Paris", "changes": [["1970-01-01T00:00:00", 60],
    /// ["2000-03-26T02:00:00", 120], …]}`. Each change is what the clocks show when it comes, and how many minutes they are ahead of
    /// universal time from then on. They are ascending, from 2000 until ten years from now; the first holds before 2000, too.
    public static let timeZone = Load(records: .timeZone, selection: "")

    /// The bytes of a file, loaded as a text in Base64 with the alphabet of addresses (RFC 4648, section 5) without padding. It is
    /// null if there is no record, the record names no file, or the file is gone.
    ///
    /// Who may read the record may read the file. A document's name is made without its files, which are null then.
    ///
    /// - Parameters:
    ///   - column: a column that names files. The selection of the earlier load contains it.
    ///   - entity: the entity of an earlier load.
    public static func file(_ column: String, of entity: String) -> Load {
        Load(records: .file(column: column, of: entity, .bytes), selection: "")
    }

    /// What a file in PNG or SVG shows, as a PNG whose longer side has 900 pixels at most. It is loaded as ``file(_:of:)`` loads bytes.
    /// A file that cannot be drawn is an empty text.
    ///
    /// The server draws it once, apart from itself and within limits of time and memory, and keeps what it has drawn. A method that
    /// draws the bytes of a file itself could be held up by them for minutes.
    public static func picture(_ column: String, of entity: String) -> Load {
        Load(records: .file(column: column, of: entity, .picture), selection: "")
    }
}
