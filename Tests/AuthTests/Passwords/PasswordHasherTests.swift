import Glibc
import Testing

@testable import Auth

struct PasswordHasherTests {
    private let passwords = PasswordHasher()
    private let owner = HashingOrigin.known(account: "a@exemple.fr")

    @Test func `a hash of the current kind is not replaced`() async throws {
        let hash = try await passwords.acceptedHash(of: "une phrase de passe", email: "a@exemple.fr")
        #expect(
            try await passwords.verify("une phrase de passe", against: hash, for: owner) == .match(replacement: nil))
        #expect(try await passwords.verify("une autre phrase", against: hash, for: owner) == .noMatch)
    }

    @Test func `a hash of an older kind is replaced by a hash of the same password`() async throws {
        let (password, hash) = PasswordHashTests.known[3]
        guard case .match(let replacement?) = try await passwords.verify(password, against: hash, for: owner) else {
            Issue.record("no replacement")
            return
        }
        #expect(PasswordHash.isCurrent(replacement))
        #expect(PasswordHash.matches(password, replacement))
    }

    @Test func `bytes that bcrypt did not read do not become part of the password`() async throws {
        // pgcrypto's crypt() of eighty letters a, of which bcrypt reads 72.
        let hash = "$2a$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe"
        let eighty = String(repeating: "a", count: 80)
        let verdict = try await passwords.verify(eighty, against: hash, for: owner)
        #expect(verdict == .match(replacement: nil))
        #expect(!PasswordHash.coversAll(of: eighty, hash))
        #expect(PasswordHash.coversAll(of: String(repeating: "a", count: 72), hash))
    }

    /// security.md: "unknown e-mail, wrong password, deactivated user | the same answer, the same text, the same hashing
    /// work (as today's hash kind costs; median times within noise)". The test measures the processor time of its
    /// own thread, which does not depend on the load of the machine, and alternates between the cases.
    @Test
    func `no account, no hash, an unknown kind and a wrong password cost one hash of the current kind each`() throws {
        let hash = try #require(PasswordHash.make(of: "une phrase de passe"))
        let cases: [(name: String, stored: String?)] = [
            ("nobody", nil), ("empty", ""), ("unknown kind", "$argon2id$v=19$m=65536$abc$def"), ("wrong", hash),
        ]
        // The dummy hash is made when it is first needed.
        _ = PasswordHasher.verification(of: "secret", against: nil)
        var yardstick: [Duration] = []
        var times = [[Duration]](repeating: [], count: cases.count)
        for _ in 1...11 {
            yardstick.append(Self.processorTime { _ = PasswordHash.matches("secret", hash) })
            for (index, (_, stored)) in cases.enumerated() {
                times[index].append(
                    Self.processorTime { _ = PasswordHasher.verification(of: "secret", against: stored) })
            }
        }
        let one = yardstick.sorted()[5]
        for (index, (name, _)) in cases.enumerated() {
            let ratio = times[index].sorted()[5] / one
            #expect((0.7...1.4).contains(ratio), "\(name): \(ratio) hashes")
        }
    }

    private static func processorTime(of work: () -> Void) -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = now()
        work()
        return now() - start
    }

    @Test(arguments: [nil, "", "x", "$9$y$z"])
    func `a missing hash and a hash of an unknown kind do not match`(hash: String?) async throws {
        #expect(try await passwords.verify("secret", against: hash, for: owner) == .noMatch)
    }
}
