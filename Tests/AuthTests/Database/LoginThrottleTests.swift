import TestPostgres
import Testing

@testable import Auth

/// security.md: "10 failures for one account or 50 from one address in 15 min | 429 with growing delay (1 s at first);
/// the owner is never locked out for good".
struct LoginThrottleTests {
    /// Counts a number of failures without computing hashes for them.
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

    @Test
    func
        `the tenth failure of an account causes a pause of one second, which doubles with each failure up to a minute`()
        async throws
    {
        try await TestAccounts.with { accounts in
            try await fail(accounts, "anne@exemple.fr", times: 9)
            #expect(try await wait(accounts, "anne@exemple.fr") == nil)
            for expected in [1, 2, 4, 8, 16, 32, 60, 60] {
                try await fail(accounts, "Anne@Exemple.fr", times: 1)
                #expect(try await accounts.pause(of: "anne@exemple.fr") == "\(expected)")
                try await accounts.stretch()
                // Attempts that were under way when the pause began do not prolong it.
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

    @Test
    func `fifty failures from one network throttle that network for every account, and IPv6 is counted by network`()
        async throws
    {
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

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:0db8:0001:0002::abcd", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:1:2:3", "2001:db8:1:2::/64"), ("::1", "0:0:0:0::/64"), ("nonsense", "nonsense"),
    ])
    func `all spellings of a network are counted as one`(address: String, network: String) {
        #expect(ClientNetwork.of(address) == network)
    }

    @Test func `failures that one instance counts throttle every other instance`() async throws {
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

    @Test func `guessing from elsewhere does not throttle the owner on a network the account has signed in from`()
        async throws
    {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let home = "192.0.2.10", elsewhere = "198.51.100.7"
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) == nil)
            try await fail(accounts, "anne@exemple.fr", from: elsewhere, times: 10)
            try await accounts.stretch()
            #expect(try await wait(accounts, "anne@exemple.fr", from: elsewhere) != nil)
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) == nil)
            // The owner's success does not clear the failures that were counted elsewhere.
            #expect(try await wait(accounts, "anne@exemple.fr", from: elsewhere) != nil)
            // On the known network ten failures cause a pause as well.
            try await fail(accounts, "anne@exemple.fr", from: home, known: true, times: 10)
            try await accounts.stretch()
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) != nil)
            try await accounts.age(attemptsBy: "1 hour 1 second")
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: home) == nil)
            try await fail(accounts, "anne@exemple.fr", from: home, known: true, times: 9)
            #expect(try await wait(accounts, "anne@exemple.fr", from: home) == nil)
        }
    }

    /// The company that a guess asks for tells nothing of the password before the attempts are counted.
    @Test(arguments: [nil, 99] as [Int64?])
    func `a correct guess among simultaneous ones fails once the wrong ones have used up the attempts`(
        company: Int64?
    ) async throws {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let hash = try await accounts.psql("SELECT password_hash FROM credentials")
            try await fail(accounts, "anne@exemple.fr", times: 10)
            try await accounts.stretch()
            let origin = LoginThrottle.Origin(email: "anne@exemple.fr", network: nil, isKnown: false)
            let started = try await accounts.service.signIns.start(
                accounts.service.refreshTokens.firstToken(of: SignInID.make()), of: id, in: company,
                verifiedHash: hash, replacement: nil, userAgent: nil, origin: origin, deadline: nil)
            #expect(started == nil)
            #expect(try await accounts.psql("SELECT count(*) FROM sign_ins") == "0")
        }
    }

    @Test func `wrong current passwords in a change of password count as failed logins`() async throws {
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

    @Test func `a wrong current password counts under an idempotency key that another write has used, too`()
        async throws
    {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr")
            let signedIn = try await accounts.login("anne@exemple.fr")
            try await accounts.psql(
                """
                INSERT INTO kernel.idempotency (account_id, key, method, digest, answers)
                VALUES (\(id), 'clé', 'other.method', 'x', '[null]')
                """)
            let terms = WriteTerms(once: IdempotencyKey(key: "clé", method: "auth.change_password", digest: [1]))
            func attempt(_ current: String) async throws {
                try await accounts.service.changePassword(
                    of: signedIn.user, current: current, new: "une nouvelle phrase", on: terms)
            }
            try await fail(accounts, "anne@exemple.fr", times: 9)
            await #expect {
                try await attempt("fausse")
            } throws: { error in
                if case AuthError.wrongCurrentPassword = error { true } else { false }
            }
            try await accounts.stretch()
            await #expect {
                try await attempt(TestAccounts.password)
            } throws: { error in
                if case AuthError.busy = error { true } else { false }
            }
            try await accounts.age(attemptsBy: "1 hour 1 second")
            await #expect {
                try await attempt(TestAccounts.password)
            } throws: { error in
                if case AuthError.idempotency(.otherParams) = error { true } else { false }
            }
        }
    }

    @Test func `any number of names fills a fixed number of rows`() async throws {
        try await TestAccounts.with { accounts in
            // Calls the SQL function that `recordFailure` calls.
            try await accounts.psql(
                """
                SELECT count(kernel.note_attempt(0, 'nom ' || n, 10, 1, 60)) FROM generate_series(1, 70000) n
                """)
            let rows = try await accounts.psql("SELECT count(*) <= 65536 AND max(slot) < 65536 FROM attempts")
            #expect(rows == "t")
            await #expect(throws: (any Error).self) {
                try await accounts.psql("INSERT INTO attempts VALUES (5 * 65536, 1, now())")
            }
        }
    }

    @Test func `a successful login writes no counts, and an authenticated call does not read them`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            // A statement that counted an attempt would fail.
            try await accounts.psql("ALTER TABLE attempts ADD CONSTRAINT unused CHECK (slot < 0) NOT VALID")
            let signedIn = try await accounts.login("anne@exemple.fr")
            // A statement that read the counts would fail as well.
            try await accounts.psql("ALTER TABLE attempts RENAME TO gone")
            #expect(try await accounts.rejection(of: signedIn) == nil)
        }
    }
}
