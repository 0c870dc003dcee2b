import TestPostgres
import Testing

@testable import Auth

/// security.md: "10 failures for one account or 50 from one address in 15 min | 429 with growing delay (1 s at first);
/// the owner is never locked out for good".
@Suite("Limits for guessing")
struct LoginThrottleTests {
    /// Failures without their cost: what `failed` writes, `times` over.
    private func fail(
        _ accounts: TestAccounts, _ email: String, from network: String? = nil, known: Bool = false, times: Int
    ) async throws {
        for _ in 0..<times {
            try await accounts.service.throttle.recordFailure(
                LoginThrottle.Origin(email: email, network: network, isKnown: known), deadline: nil)
        }
    }

    private func wait(_ accounts: TestAccounts, _ email: String, from network: String? = nil) async throws -> Int? {
        try await accounts.service.throttle.check(email: email, network: network, deadline: nil).retryAfter
    }

    @Test("The tenth failure of an account makes the next attempt wait a second, then two, then four, a minute at most")
    func account() async throws {
        try await TestAccounts.with { accounts in
            try await fail(accounts, "anne@exemple.fr", times: 9)
            #expect(try await wait(accounts, "anne@exemple.fr") == nil)
            for expected in [1, 2, 4, 8, 16, 32, 60, 60] {
                try await fail(accounts, "Anne@Exemple.fr", times: 1)
                #expect(try await accounts.pause(of: "anne@exemple.fr") == "\(expected)")
                try await accounts.stretch()
                // Those that were under way when the pause began add nothing to it.
                try await fail(accounts, "Anne@Exemple.fr", times: 3)
                #expect(try await wait(accounts, "anne@exemple.fr", from: "192.0.2.1") != nil)
                #expect(try await wait(accounts, "paul@exemple.fr", from: "192.0.2.1") == nil)
                try await accounts.age(attemptsBy: "1 hour \(expected) seconds")
                #expect(try await wait(accounts, "anne@exemple.fr") == nil)
            }
            try await accounts.age(attemptsBy: "901 seconds")
            try await fail(accounts, "anne@exemple.fr", times: 9)
            #expect(try await wait(accounts, "anne@exemple.fr") == nil)
        }
    }

    @Test("Fifty failures from one address slow that address down, whatever the accounts; IPv6 counts by network")
    func address() async throws {
        try await TestAccounts.with { accounts in
            let six = ClientNetwork.of("2001:db8:1:2::1")
            for number in 1...50 {
                try await fail(accounts, "\(number)@exemple.fr", from: "192.0.2.1", times: 1)
                try await fail(accounts, "\(number)@exemple.com", from: six, times: 1)
                if number == 50 { try await accounts.stretch() }
                #expect((try await wait(accounts, "x@exemple.fr", from: "192.0.2.1") == nil) == (number < 50))
                #expect((try await wait(accounts, "x@exemple.fr", from: six) == nil) == (number < 50))
            }
            #expect(try await wait(accounts, "x@exemple.fr", from: "192.0.2.2") == nil)
            #expect(try await wait(accounts, "x@exemple.fr") == nil)
        }
    }

    @Test(
        "All spellings of a network are one",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:0db8:0001:0002::abcd", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:ffff:1:2:3", "2001:db8:1:2::/64"), ("::1", "0:0:0:0::/64"), ("nonsense", "nonsense"),
        ])
    func networks(address: String, network: String) {
        #expect(ClientNetwork.of(address) == network)
    }

    @Test("What one instance counts holds on every other")
    func instances() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            try await fail(accounts, "anne@exemple.fr", times: 9)
            try await accounts.withAnotherInstance { other in
                let tenth = try await accounts.wait("anne@exemple.fr", "faux", by: other)
                #expect(tenth == nil)
                try await accounts.stretch()
                #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, by: other) != nil)
                #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password) != nil)
            }
        }
    }

    @Test("Whoever guesses elsewhere does not hold the owner up where the account has signed in from")
    func owner() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let home = "192.0.2.10", elsewhere = "198.51.100.7"
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) == nil)
            try await fail(accounts, "anne@exemple.fr", from: elsewhere, times: 10)
            try await accounts.stretch()
            #expect(try await wait(accounts, "anne@exemple.fr", from: elsewhere) != nil)
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) == nil)
            // The owner's success does not give the guesser ten more guesses.
            #expect(try await wait(accounts, "anne@exemple.fr", from: elsewhere) != nil)
            // At home too ten failures are enough.
            try await fail(accounts, "anne@exemple.fr", from: home, known: true, times: 10)
            try await accounts.stretch()
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) != nil)
            try await accounts.age(attemptsBy: "1 hour 1 second")
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) == nil)
            try await fail(accounts, "anne@exemple.fr", from: home, known: true, times: 9)
            #expect(try await wait(accounts, "anne@exemple.fr", from: home) == nil)
        }
    }

    @Test("A right guess among many made at once counts for nothing once the wrong ones have used up the attempts")
    func burst() async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let hash = try await accounts.psql("SELECT password_hash FROM credentials")
            try await fail(accounts, "anne@exemple.fr", times: 10)
            try await accounts.stretch()
            let origin = LoginThrottle.Origin(email: "anne@exemple.fr", network: nil, isKnown: false)
            let started = try await accounts.service.signIns.start(
                accounts.service.refreshTokens.firstToken(of: SignInID.make()), of: id, verifiedHash: hash,
                replacement: nil, userAgent: nil, origin: origin, deadline: nil)
            #expect(started == nil)
            #expect(try await accounts.psql("SELECT count(*) FROM sign_ins") == "0")
        }
    }

    @Test("Wrong current passwords of a change count like failed sign-ins, whoever holds the token")
    func change() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let signedIn = try await accounts.login("anne@exemple.fr")
            try await fail(accounts, "anne@exemple.fr", times: 9)
            await #expect {
                try await accounts.service.changePassword(
                    of: signedIn.user, current: "fausse", new: "une nouvelle phrase")
            } throws: { error in
                if case AuthError.wrongCurrentPassword = error { true } else { false }
            }
            try await accounts.stretch()
            await #expect {
                try await accounts.service.changePassword(
                    of: signedIn.user, current: TestAccounts.password, new: "une nouvelle phrase")
            } throws: { error in
                if case AuthError.busy = error { true } else { false }
            }
            #expect(try await wait(accounts, "anne@exemple.fr") != nil)
            try await accounts.age(attemptsBy: "1 hour 1 second")
            try await accounts.service.changePassword(
                of: signedIn.user, current: TestAccounts.password, new: "une nouvelle phrase")
            #expect(try await accounts.psql("SELECT count(*) FROM attempts") == "0")
        }
    }

    @Test("A flood of names fills a fixed number of rows, however many names there are")
    func bounded() async throws {
        try await TestAccounts.with { accounts in
            // Each name as `failed` counts it, by the function that it calls.
            try await accounts.psql(
                """
                SELECT count(public.note_attempt(0, 'nom ' || n, 10, 1, 60)) FROM generate_series(1, 70000) n
                """)
            let rows = try await accounts.psql("SELECT count(*) <= 65536 AND max(slot) < 65536 FROM attempts")
            #expect(rows == "t")
            await #expect(throws: (any Error).self) {
                try await accounts.psql("INSERT INTO attempts VALUES (5 * 65536, 1, now())")
            }
        }
    }

    @Test("An ordinary call asks nothing of the counts, and a successful login writes none")
    func cost() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let signedIn = try await accounts.login("anne@exemple.fr")
            #expect(try await accounts.rejection(of: signedIn) == nil)
            #expect(try await accounts.psql("SELECT count(*) FROM attempts") == "0")
        }
    }
}
