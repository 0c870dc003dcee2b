import FoundationEssentials
import TextEncodings

/// A JWT taken apart: two JSON texts and a signature over them, nothing of which is believed yet.
struct JSONWebToken {
    let signature: [UInt8]
    /// What the signature is of.
    let signed: ArraySlice<UInt8>
    private let headerText: [UInt8]
    private let claimsText: [UInt8]

    /// - Parameter longest: bytes of a token that is read at all.
    init(_ text: some StringProtocol, longest: Int) throws(TokenError) {
        guard text.utf8.count <= longest else { throw .invalid }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerText = Base64URL.decode(parts[0]),
            let claimsText = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw .invalid }
        self.headerText = headerText
        self.claimsText = claimsText
        self.signature = signature
        signed = bytes[..<parts[1].endIndex]
    }

    func header() throws(TokenError) -> JSONWebToken.Header { try Self.read(headerText) }

    /// To be asked for once the signature has been found good.
    func claims<Claims: Decodable>(_: Claims.Type = Claims.self) throws(TokenError) -> Claims {
        try Self.read(claimsText)
    }

    private static func read<Value: Decodable>(_ text: [UInt8]) throws(TokenError) -> Value {
        do { return try JSONDecoder().decode(Value.self, from: Data(text)) } catch { throw .invalid }
    }
}
