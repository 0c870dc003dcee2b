import Crypto
import FoundationEssentials
import JSON
import TextEncodings

/// A JSON Web Token in compact form (RFC 7519), signed with HMAC-SHA256: the only algorithm that is issued or accepted.
///
/// The claims can be read only together with the key that must have signed them.
struct JSONWebToken {
    private static let algorithm = "HS256"

    /// Not authenticated: it serves to find the key.
    let header: Header
    private let claimsText: [UInt8]
    private let signature: [UInt8]
    /// The part of the token that the signature covers.
    private let signedText: ArraySlice<UInt8>

    /// The members of a header that decide whether a token is accepted.
    struct Header: Codable {
        let alg: String
        let typ: String?
        /// Names the key.
        let kid: String?
        /// Whether the member `crit` is present, with any value. No critical extension is supported.
        let hasCritical: Bool

        private enum CodingKeys: String, CodingKey { case alg, typ, kid, crit }

        fileprivate init(typ: String, kid: String) {
            alg = JSONWebToken.algorithm
            self.typ = typ
            self.kid = kid
            hasCritical = false
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alg = try container.decode(String.self, forKey: .alg)
            typ = try container.decodeIfPresent(String.self, forKey: .typ)
            kid = try container.decodeIfPresent(String.self, forKey: .kid)
            hasCritical = container.contains(.crit)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(alg, forKey: .alg)
            try container.encodeIfPresent(typ, forKey: .typ)
            try container.encodeIfPresent(kid, forKey: .kid)
        }
    }

    /// The claim `aud`: one name or several.
    struct Audience: Codable {
        let names: [String]

        init(names: [String]) { self.names = names }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                names = [try container.decode(String.self)]
            } catch DecodingError.typeMismatch {
                names = try container.decode([String].self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if names.count == 1 { try container.encode(names[0]) } else { try container.encode(names) }
        }
    }

    /// A time of a claim, in seconds since 1970: not before 1970 and not after the year 9999.
    static func isPlausible(time: Double) -> Bool { (0...253_402_300_799).contains(time) }

    /// Takes a token apart and reads its header.
    ///
    /// - Parameter maxLength: in bytes; a longer token is invalid.
    /// - Throws: `.invalid`.
    init(_ text: some StringProtocol, maxLength: Int) throws(TokenError) {
        guard text.utf8.count <= maxLength else { throw .invalid }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerText = Base64URL.decode(parts[0]),
            let claimsText = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw .invalid }
        header = try Self.decode(headerText)
        self.claimsText = claimsText
        self.signature = signature
        signedText = bytes[..<parts[1].endIndex]
    }

    /// Verifies the algorithm and the signature, in constant time, and only then decodes the claims.
    ///
    /// - Throws: `.invalid`.
    func claims<Claims: Decodable>(signedWith key: SymmetricKey) throws(TokenError) -> Claims {
        guard header.alg == Self.algorithm, !header.hasCritical,
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signedText, using: key)
        else { throw .invalid }
        return try Self.decode(claimsText)
    }

    /// The compact form of a new token.
    ///
    /// - Parameter type: the header's `typ`.
    static func signed(
        _ claims: some Encodable, type: String, by secret: SigningSecret
    ) throws(AuthError) -> String {
        let text = try encode(Header(typ: type, kid: secret.keyID)) + "." + encode(claims)
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: secret.key)
        return text + "." + Base64URL.encode(code)
    }

    /// Foundation also accepts UTF-16, a byte order mark and duplicate members, which RFC 7515 and RFC 7519 forbid or let
    /// a reader refuse. Two readers that choose different members of one name would disagree about a token.
    private static func decode<Part: Decodable>(_ text: [UInt8]) throws(TokenError) -> Part {
        guard isStrictObject(text) else { throw .invalid }
        do { return try JSONDecoder().decode(Part.self, from: Data(text)) } catch { throw .invalid }
    }

    private static func isStrictObject(_ text: [UInt8]) -> Bool {
        text.withUnsafeBytes { bytes in
            do throws(JSONError) {
                let document = try JSONReader.read(bytes)
                guard case .object = document.value else { return false }
                return document.duplicates.isEmpty
            } catch {
                return false
            }
        }
    }

    private static func encode(_ part: some Encodable) throws(AuthError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Base64URL.encode(try encoder.encode(part)) } catch { throw .signingFailed }
    }
}
