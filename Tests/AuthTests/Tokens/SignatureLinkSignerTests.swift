import Crypto
import Foundation
import TestSupport
import Testing
import TextEncodings

@testable import Auth

/// The tokens in the links of signatories.
struct SignatureLinkSignerTests {
    private static let id = "3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48"
    private static let secrets = ["first secret of the tests, long enough", "second secret of the tests, long enough"]

    private static func signer(_ texts: String...) throws -> SignatureLinkSigner {
        SignatureLinkSigner(secrets: try texts.map { try SigningSecret($0) })
    }

    @Test func `a token is the id and an HMAC of it, the same each time`() throws {
        let signer = try Self.signer(Self.secrets[0])
        let token = try #require(signer.token(for: Self.id))
        #expect(token == signer.token(for: Self.id))
        #expect(token.utf8.count == 64)
        #expect(signer.id(of: token) == Self.id)
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(Self.secrets[0].utf8)), info: Data("signature link".utf8),
            outputByteCount: 32)
        let bytes = try #require(Base64URL.decode(token.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: bytes.prefix(16), using: key)
        #expect(Array(code) == Array(bytes.dropFirst(16)))
    }

    @Test func `a token that is altered at any place is not one of this server`() throws {
        let signer = try Self.signer(Self.secrets[0])
        let token = try #require(signer.token(for: Self.id))
        for index in token.indices {
            var altered = token
            altered.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(signer.id(of: altered) == nil, "\(altered)")
        }
        for other in ["", "A", token + "A", String(token.dropLast()), "=" + token.dropFirst()] {
            #expect(signer.id(of: other) == nil, "\(other)")
        }
    }

    @Test func `each secret recognises its links, and the first makes them`() throws {
        let token = try #require(try Self.signer(Self.secrets[0]).token(for: Self.id))
        let rotated = try Self.signer(Self.secrets[1], Self.secrets[0])
        #expect(rotated.id(of: token) == Self.id)
        #expect(rotated.token(for: Self.id) != token)
        #expect(try Self.signer(Self.secrets[1]).id(of: token) == nil)
    }

    @Test(arguments: ["", "1", "3F2B6C1E-8A4D-4C57-9B1E-2D7F0A6C5E48"])
    func `there is no token for what is not an id`(text: String) throws {
        #expect(try Self.signer(Self.secrets[0]).token(for: text) == nil)
    }
}
