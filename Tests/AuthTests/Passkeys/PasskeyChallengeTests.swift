import Synchronization
import Testing

@testable import Auth

/// "challenge single use, 5 minutes, works with several instances".
struct PasskeyChallengeTests {
    /// A clock that tests set.
    private final class Clock: Sendable {
        private let seconds = Atomic<Int>(1_000)

        func set(_ seconds: Int) { self.seconds.store(seconds, ordering: .relaxed) }
        func now() -> Double { Double(seconds.load(ordering: .relaxed)) }
    }

    private static let secrets = ["first secret of the tests, long enough", "second secret of the tests, long enough"]

    private static func issuer(_ texts: [String], _ clock: Clock) throws -> PasskeyChallenge.Issuer {
        PasskeyChallenge.Issuer(secrets: try texts.map { try SigningSecret($0) }) { clock.now() }
    }

    @Test func `a challenge is recognised for five minutes, and for its purpose alone`() throws {
        let clock = Clock()
        let issuer = try Self.issuer(Self.secrets, clock)
        let challenge = issuer.challenge(for: .addition(account: 7))
        #expect(issuer.challenge(challenge.text, for: .addition(account: 7))?.nonce == challenge.nonce)
        #expect(issuer.challenge(challenge.text, for: .addition(account: 71)) == nil)
        #expect(issuer.challenge(challenge.text, for: .signIn) == nil)
        clock.set(1_299)
        #expect(issuer.challenge(challenge.text, for: .addition(account: 7)) != nil)
        clock.set(1_300)
        #expect(issuer.challenge(challenge.text, for: .addition(account: 7)) == nil)
    }

    @Test func `another instance recognises it, also after a new first secret, and one with other secrets does not`()
        throws
    {
        let clock = Clock()
        let challenge = try Self.issuer([Self.secrets[0]], clock).challenge(for: .signIn)
        #expect(try Self.issuer(Self.secrets.reversed(), clock).challenge(challenge.text, for: .signIn) != nil)
        #expect(try Self.issuer([Self.secrets[1]], clock).challenge(challenge.text, for: .signIn) == nil)
    }

    @Test func `a challenge with a changed letter is none, and no two are alike`() throws {
        let clock = Clock()
        let issuer = try Self.issuer(Self.secrets, clock)
        let text = issuer.challenge(for: .signIn).text
        #expect(issuer.challenge(for: .signIn).text != text)
        for index in text.indices {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(issuer.challenge(changed, for: .signIn) == nil)
        }
        #expect(issuer.challenge("", for: .signIn) == nil)
    }
}
