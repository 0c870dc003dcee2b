import TestSupport
import Testing

@testable import Auth

@Suite("Refresh tokens")
struct RefreshTokenIssuerTests {
    private func tokens(_ secrets: String = ForgedToken.secret) throws -> RefreshTokenIssuer {
        RefreshTokenIssuer(secrets: try SigningSecret.list(secrets))
    }

    @Test("A token survives the way to the client and back")
    func text() throws {
        let token = try tokens().firstToken(of: ForgedToken.signIn)
        #expect(RefreshToken(token.text) == token)
        #expect(try tokens().firstToken(of: ForgedToken.signIn) != token)
    }

    @Test("What has not the form of a token is none", arguments: ["", "x", String(repeating: "é", count: 43)])
    func malformed(text: String) throws {
        #expect(RefreshToken(text) == nil)
    }

    @Test("Every instance with the same secrets finds the same successor; another secret finds another")
    func successor() throws {
        let token = try tokens().firstToken(of: ForgedToken.signIn)
        let next = try tokens().successor(of: token)
        #expect(try tokens().successor(of: token) == next)
        #expect(next != token)
        #expect(next.signInID == token.signInID)
        #expect(try tokens(ForgedToken.otherSecret).successor(of: token) != next)
    }

    @Test("The server knows tokens it made, and no others")
    func own() throws {
        let tokens = try tokens()
        let token = tokens.firstToken(of: ForgedToken.signIn)
        #expect(tokens.didIssue(token))
        #expect(tokens.didIssue(tokens.successor(of: token)))
        #expect(try !self.tokens(ForgedToken.otherSecret).didIssue(token))
        #expect(try self.tokens(ForgedToken.otherSecret + "," + ForgedToken.secret).didIssue(token))
        #expect(
            !tokens.didIssue(
                RefreshToken(
                    signInID: ForgedToken.signIn, secret: RandomBytes.make(RefreshToken.secretLength),
                    tag: RandomBytes.make(RefreshToken.tagLength))))
    }

    @Test("A token some exchanges old leads to the current one, within the number of exchanges given")
    func chain() throws {
        let tokens = try tokens()
        let first = tokens.firstToken(of: ForgedToken.signIn)
        let second = tokens.successor(of: first)
        let third = tokens.successor(of: second)
        #expect(tokens.successor(of: first, leadingTo: third.hash, within: 2) == second)
        #expect(tokens.successor(of: second, leadingTo: third.hash, within: 1) == third)
        #expect(tokens.successor(of: first, leadingTo: third.hash, within: 1) == nil)
        #expect(tokens.successor(of: first, leadingTo: second.hash, within: 0) == nil)
        // After a new secret was put in front.
        let both = try self.tokens(ForgedToken.otherSecret + "," + ForgedToken.secret)
        #expect(both.successor(of: first, leadingTo: second.hash, within: 1) == second)
    }
}

@Suite("Text of bytes")
struct TextOfBytesTests {
    @Test("A sign-in's id is a random UUID in Postgres's spelling")
    func signInID() {
        let id = SignInID.make()
        #expect(SignInID.isValid(id))
        #expect(SignInID.bytes(of: id).map { SignInID.text(of: $0) } == id)
        #expect(id.utf8.count == 36 && Array(id)[14] == "4")
        for wrong in ["", id.uppercased(), id + "0", String(id.dropLast()), id.replacing("-", with: "")] {
            #expect(!SignInID.isValid(wrong) || wrong == id)
        }
    }
}
