extension String {
    /// This text as a part of a URI: UTF-8 with every byte percent-encoded that RFC 3986 does not call unreserved.
    func percentEncoded(keeping others: String = "") -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(utf8.count)
        for byte in utf8 {
            if byte.isLetterOrDigit || "-._~".utf8.contains(byte) || others.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
