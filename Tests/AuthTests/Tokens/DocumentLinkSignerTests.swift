import JSON
import TestSupport
import Testing
import TextEncodings

@testable import Auth

/// The signed links to documents.
struct DocumentLinkSignerTests {
    private let clock = TestClock()

    private func signer(_ secrets: String...) throws -> DocumentLinkSigner {
        let clock = clock
        return DocumentLinkSigner(secrets: try secrets.map { try SigningSecret($0) }) { clock.now }
    }

    private func document(_ params: JSONObject = ["id": 7]) -> LinkedDocument {
        let acting = HeldRole(role: "driver", subject: 12)
        return LinkedDocument(
            method: "books.print", params: params,
            user: AuthenticatedUser(
                member: Member(company: 1, id: 3), account: 3, signInID: ForgedToken.signIn, role: "driver",
                additionalRoles: [acting]),
            acting: acting)
    }

    @Test func `a link opens what it was made for, for fifteen minutes`() throws {
        let signer = try signer(ForgedToken.secret)
        let token = try #require(signer.token(for: document()))
        #expect(Double(token.expiresAt) == clock.now + 900)
        #expect(try signer.document(of: token.text[...]) == document())
        clock.advance(899)
        #expect(try signer.document(of: token.text[...]) == document())
        clock.advance(1)
        #expect {
            try signer.document(of: token.text[...])
        } throws: { error in
            if case DocumentLinkError.expired? = error as? DocumentLinkError { true } else { false }
        }
    }

    @Test func `a link of an access key keeps the key`() throws {
        let signer = try signer(ForgedToken.secret)
        let acting = HeldRole(role: "user", subject: nil)
        let keyed = LinkedDocument(
            method: "books.print", params: [:],
            user: AuthenticatedUser(
                member: Member(company: 1, id: 3), account: 3, accessKeyID: 5, role: nil, additionalRoles: [acting]),
            acting: acting)
        let token = try #require(signer.token(for: keyed))
        #expect(try signer.document(of: token.text[...]) == keyed)
    }

    @Test func `a link says how often its member was deactivated, unless that is never`() throws {
        let signer = try signer(ForgedToken.secret)
        func claims(_ deactivations: Int64) throws -> String {
            let acting = HeldRole(role: "driver", subject: 12)
            let user = AuthenticatedUser(
                member: Member(company: 1, id: 3), account: 3, signInID: ForgedToken.signIn, role: "driver",
                additionalRoles: [acting], deactivations: deactivations)
            let linked = LinkedDocument(method: "books.print", params: [:], user: user, acting: acting)
            let token = try #require(signer.token(for: linked)).text
            #expect(try signer.document(of: token[...]) == linked)
            let payload = try #require(Base64URL.decode(token.prefix { $0 != "." }.utf8))
            return String(decoding: payload, as: UTF8.self)
        }
        #expect(try !claims(0).contains("deactivations"))
        #expect(try claims(2).contains(#""deactivations":2"#))
    }

    @Test func `every secret verifies, the first one signs`() throws {
        let old = try #require(try signer(ForgedToken.secret).token(for: document()))
        let rotated = try signer(ForgedToken.otherSecret, ForgedToken.secret)
        #expect(try rotated.document(of: old.text[...]) == document())
        let new = try #require(rotated.token(for: document()))
        #expect(try signer(ForgedToken.otherSecret).document(of: new.text[...]) == document())
        let retired = try signer(ForgedToken.secret)
        #expect(throws: DocumentLinkError.self) { try retired.document(of: new.text[...]) }
    }

    @Test func `a link tells its company when it has expired, and a made-up one tells none`() throws {
        let signer = try signer(ForgedToken.secret)
        let token = try #require(signer.token(for: document())).text
        clock.advance(10_000)
        #expect(signer.company(of: token[...]) == 1)
        #expect(try self.signer(ForgedToken.otherSecret).company(of: token[...]) == nil)
        #expect(signer.company(of: "x.y") == nil)
    }

    @Test func `a link that would be too long is none`() throws {
        let signer = try signer(ForgedToken.secret)
        let long = String(repeating: "a", count: 3_000)
        #expect(signer.token(for: document(["text": .string(long)])) == nil)
        let token = try #require(signer.token(for: document(["text": .string(String(long.prefix(2_500)))])))
        #expect(token.text.utf8.count <= 4_096)
    }
}
