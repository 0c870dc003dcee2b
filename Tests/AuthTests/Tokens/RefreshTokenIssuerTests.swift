import TestSupport
import Testing

@testable import Auth

struct RefreshTokenIssuerTests {
    private func tokens(_ secrets: String = ForgedToken.secret) throws -> RefreshTokenIssuer {
        RefreshTokenIssuer(secrets: try SigningSecret.list(secrets))
    }

    @Test func `a token is read back from its text`() throws {
        let token = try tokens().firstToken(of: ForgedToken.signIn)
        #expect(RefreshToken(token.text) == token)
        #expect(try tokens().firstToken(of: ForgedToken.signIn) != token)
    }

    @Test(arguments: ["", "x", String(repeating: "é", count: 43)])
    func `a text that does not have the form of a token is rejected`(text: String) throws {
        #expect(RefreshToken(text) == nil)
    }

    @Test func `the same secret derives the same successor, another secret derives another`() throws {
        let token = try tokens().firstToken(of: ForgedToken.signIn)
        let next = try tokens().successor(of: token)
        #expect(try tokens().successor(of: token) == next)
        #expect(next != token)
        #expect(next.signInID == token.signInID)
        #expect(try tokens(ForgedToken.otherSecret).successor(of: token) != next)
    }

    @Test func `the issuer recognises the tokens that it issued and no others`() throws {
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

    @Test func `the successor of an old token is found if at most the given number of exchanges lie between`() throws {
        let tokens = try tokens()
        let first = tokens.firstToken(of: ForgedToken.signIn)
        let second = tokens.successor(of: first)
        let third = tokens.successor(of: second)
        #expect(tokens.successor(of: first, leadingTo: third.hash, within: 2) == second)
        #expect(tokens.successor(of: second, leadingTo: third.hash, within: 1) == third)
        #expect(tokens.successor(of: first, leadingTo: third.hash, within: 1) == nil)
        #expect(tokens.successor(of: first, leadingTo: second.hash, within: 0) == nil)
        // After another secret has become the first one.
        let both = try self.tokens(ForgedToken.otherSecret + "," + ForgedToken.secret)
        #expect(both.successor(of: first, leadingTo: second.hash, within: 1) == second)
    }
}

struct SignInIDTests {
    @Test func `the id of a sign-in is a random UUID in Postgres’s spelling`() {
        let id = SignInID.make()
        #expect(SignInID.isValid(id))
        #expect(SignInID.bytes(of: id).map { SignInID.text(of: $0) } == id)
        #expect(id.utf8.count == 36 && Array(id)[14] == "4")
        for wrong in ["", id.uppercased(), id + "0", String(id.dropLast()), id.replacing("-", with: "")] {
            #expect(!SignInID.isValid(wrong) || wrong == id)
        }
    }
}
