import JSON
import TextEncodings

/// Encodes the cursor of a result row: an opaque text with the values of the order's keys. A cursor is valid for lists
/// in the same order of the same table only.
package struct CursorLayout: Sendable {
    /// The result columns that hold the order's keys, in order.
    package let columns: [Int]
    private(set) var fingerprint: UInt64

    /// This layout with cursors that are valid for lists of this fingerprint only.
    func with(fingerprint: UInt64) -> CursorLayout {
        var layout = self
        layout.fingerprint = fingerprint
        return layout
    }

    /// The value of `end_cursor`, in base64url.
    ///
    /// - Parameter columnTexts: the texts of ``columns`` in the page's last row; nil for null.
    package func encode(columnTexts: [String?]) -> String {
        Cursor(fingerprint: fingerprint, values: columnTexts).text
    }
}

/// A position in an order: the values of the order's keys in one row.
///
/// Its bytes are a version (1 byte), the order's fingerprint (8 bytes), the values (each a length, zero for null, then
/// UTF-8), and a checksum over all of these (8 bytes). A cursor is neither secret nor signed: the values of a cursor
/// that a caller sends are checked by the types of their fields.
struct Cursor: Equatable {
    private static let version: UInt8 = 1

    let fingerprint: UInt64
    let values: [String?]

    var text: String {
        var bytes = [Self.version]
        Self.append(fingerprint, to: &bytes)
        for value in values {
            // Zero stands for null; a text's length is written plus one.
            Self.appendCount(value.map { $0.utf8.count + 1 } ?? 0, to: &bytes)
            if let value { bytes.append(contentsOf: value.utf8) }
        }
        Self.append(Fingerprint.of(bytes), to: &bytes)
        return Base64URL.encode(bytes)
    }

    init(fingerprint: UInt64, values: [String?]) {
        self.fingerprint = fingerprint
        self.values = values
    }

    /// Nil unless `text` is the text of a cursor.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count >= 17, bytes[0] == Self.version,
            Fingerprint.of(bytes.dropLast(8)) == Self.number(bytes.suffix(8))
        else { return nil }
        fingerprint = Self.number(bytes[1..<9])
        var rest = bytes[9..<(bytes.count - 8)]
        var values: [String?] = []
        while !rest.isEmpty {
            guard let count = Self.takeCount(&rest) else { return nil }
            guard count > 0 else {
                values.append(nil)
                continue
            }
            guard rest.count >= count - 1, let value = String(validating: rest.prefix(count - 1), as: UTF8.self)
            else { return nil }
            values.append(value)
            rest = rest.dropFirst(count - 1)
        }
        self.values = values
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) { bytes.append(UInt8(number >> shift & 255)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A variable-length integer: seven bits a byte, the lowest first.
    private static func appendCount(_ count: Int, to bytes: inout [UInt8]) {
        var rest = count
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func takeCount(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var count = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            count |= Int(byte & 127) << shift
            if byte < 128 { return count }
        }
        return nil
    }
}

/// The FNV-1a hash with 64 bits. It detects mistakes; it does not protect from forgery.
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.add(bytes)
        return fingerprint.value
    }

    /// The fingerprint of an order on a table, as `order_by` spells it.
    static func of(_ order: [OrderKey], on table: Table) -> UInt64 {
        of(([table.name] + order.map(\.spelling)).joined(separator: ",").utf8)
    }
}
