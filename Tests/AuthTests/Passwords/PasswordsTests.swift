import Testing

@testable import Auth

@Suite("Checking a password")
struct PasswordsTests {
    private let passwords = Passwords()

    @Test("A hash of today's kind is left as it is")
    func current() async throws {
        let hash = try await passwords.acceptedHash(of: "une phrase de passe", email: "a@exemple.fr")
        #expect(try await passwords.check("une phrase de passe", against: hash) == .right(replacement: nil))
        #expect(try await passwords.check("une autre phrase", against: hash) == .wrong)
    }

    @Test("An older kind is replaced by a hash of the same password")
    func older() async throws {
        let (password, hash) = PasswordHashTests.known[3]
        guard case .right(let replacement?) = try await passwords.check(password, against: hash) else {
            Issue.record("no replacement")
            return
        }
        #expect(PasswordHash.isCurrent(replacement))
        #expect(PasswordHash.matches(password, replacement))
    }

    @Test("What bcrypt did not read does not become part of the password")
    func bcryptTail() async throws {
        // pgcrypto's crypt() of eighty letters a, as far as bcrypt reads them.
        let hash = "$2a$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe"
        let eighty = String(repeating: "a", count: 80)
        let verdict = try await passwords.check(eighty, against: hash)
        #expect(verdict == .right(replacement: nil))
        #expect(!PasswordHash.provesWhole(eighty, hash))
        #expect(PasswordHash.provesWhole(String(repeating: "a", count: 72), hash))
    }

    @Test("No hash and no kind of hash is an ordinary wrong password", arguments: [nil, "", "x", "$9$y$z"])
    func nothing(hash: String?) async throws {
        #expect(try await passwords.check("secret", against: hash) == .wrong)
    }
}
