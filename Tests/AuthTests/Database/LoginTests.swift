import TestPostgres
import TestSupport
import Testing

@testable import Auth

struct LoginTests {
    @Test func `an account made with psql’s crypt signs in, in any case of its e-mail, and its hash becomes yescrypt`()
        async throws
    {
        try await TestAccounts.with { accounts in
            let id = try await accounts.add("anne@exemple.fr", role: "admin")
            let signedIn = try await accounts.login("Anne@EXEMPLE.fr")
            #expect(signedIn.user.userID == id)
            #expect(signedIn.user.role == "admin")
            #expect(signedIn.expiresIn == 900)
            #expect(try await accounts.rejection(of: signedIn) == nil)
            #expect(try await accounts.psql("SELECT left(password_hash, 7) FROM credentials") == "$y$j9T$")
            #expect(try await accounts.psql("SELECT user_agent FROM sign_ins") == "test")
            #expect(try await accounts.login("anne@exemple.fr").user.signInID != signedIn.user.signInID)
        }
    }

    /// security.md: "hash `$2a$`, `$2b$`, `$2y$` cost 4–12 (pgcrypto, Supabase), `$y$` (yescrypt, what we write) | login
    /// works; older kinds are rewritten on success". For ASCII passwords the three prefixes of bcrypt mean the same.
    @Test func `every kind and cost of bcrypt signs in and becomes yescrypt, which signs in and is not rewritten`()
        async throws
    {
        try await TestAccounts.with { accounts in
            let spellings = ["$2a$", "$2b$", "$2y$"]
            for (number, cost) in ([4, 4] + Array(4...12)).enumerated() {
                let crypt = "crypt('\(TestAccounts.password)', gen_salt('bf', \(cost)))"
                try await accounts.add(
                    "\(number)@exemple.fr", hash: "replace(\(crypt), '$2a$', '\(spellings[number % 3])')")
                #expect(try await accounts.login("\(number)@exemple.fr").user.role == "user", "\(number)")
            }
            let written = "SELECT string_agg(password_hash, ' ' ORDER BY user_id) FROM credentials"
            let hashes = try await accounts.psql(written)
            #expect(hashes.split(separator: " ").count(where: { $0.hasPrefix("$y$j9T$") }) == 11, "\(hashes)")
            #expect(try await accounts.login("0@exemple.fr").user.role == "user")
            #expect(try await accounts.psql(written) == hashes)
        }
    }

    @Test func `simultaneous logins all succeed while one of them rewrites the hash`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let signIns = try await withThrowingTaskGroup { group in
                for _ in 1...6 {
                    group.addTask { try await accounts.login("anne@exemple.fr").user.signInID }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(signIns.count == 6)
        }
    }

    /// security.md: "unknown e-mail, wrong password, deactivated user | the same answer, the same text, the same hashing
    /// work" (which `PasswordHasherTests` measures) and "empty or unknown kind of hash | an ordinary login failure, never a
    /// 500".
    @Test
    func `an unknown e-mail, a wrong password, a deactivated account and an unusable hash fail with the same error`()
        async throws
    {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let retired = try await accounts.add("retraite@exemple.fr")
            try await accounts.psql("UPDATE users SET is_active = false WHERE id = \(retired)")
            try await accounts.add("vide@exemple.fr", hash: "''")
            try await accounts.add("clair@exemple.fr", hash: "'\(TestAccounts.password)'")
            try await accounts.add("inconnu@exemple.fr", hash: "'$argon2id$v=19$m=65536$abc$def'")
            try await accounts.psql("INSERT INTO users (email) VALUES ('sans@exemple.fr')")
            for (email, password) in [
                ("personne@exemple.fr", TestAccounts.password), ("anne@exemple.fr", "autre chose"),
                ("anne@exemple.fr", ""), ("retraite@exemple.fr", TestAccounts.password),
                ("vide@exemple.fr", ""), ("vide@exemple.fr", TestAccounts.password),
                ("clair@exemple.fr", TestAccounts.password), ("inconnu@exemple.fr", TestAccounts.password),
                ("sans@exemple.fr", TestAccounts.password), ("anne@exemple.fr\0", TestAccounts.password),
                ("' OR true --", TestAccounts.password), ("", ""),
            ] {
                await #expect("\(email)") {
                    _ = try await accounts.login(email, password)
                } throws: { error in
                    if case AuthError.invalidCredentials = error { true } else { false }
                }
            }
            #expect(try await accounts.psql("SELECT count(*) FROM sign_ins") == "0")
        }
    }

    /// security.md: "unknown e-mail, wrong password, deactivated user | the same answer, the same text, the same hashing
    /// work (as today's hash kind costs; median times within noise)".
    @Test func `each of those failures takes at least the time of one hash of the current kind`() async throws {
        try await TestAccounts.with { accounts in
            let hash = try #require(PasswordHash.make(of: TestAccounts.password))
            try await accounts.add("anne@exemple.fr", hash: "'\(hash)'")
            let retired = try await accounts.add("retraite@exemple.fr", hash: "'\(hash)'")
            try await accounts.psql("UPDATE users SET is_active = false WHERE id = \(retired)")
            try await accounts.add("vide@exemple.fr", hash: "''")
            // The dummy hash is made when it is first needed.
            _ = try await accounts.wait("personne@exemple.fr", TestAccounts.password)
            var shortest: [String: Duration] = [:]
            var hashing: [Duration] = []
            for round in 1...6 {
                let begin = ContinuousClock.now
                _ = PasswordHash.matches("autre chose", hash)
                hashing.append(ContinuousClock.now - begin)
                for email in ["anne", "retraite", "vide", "personne\(round)"] {
                    let password = email == "anne" ? "autre chose" : TestAccounts.password
                    let start = ContinuousClock.now
                    #expect(try await accounts.wait("\(email)@exemple.fr", password) == nil)
                    let name = String(email.prefix(8))
                    shortest[name] = min(shortest[name] ?? .seconds(60), ContinuousClock.now - start)
                }
            }
            let least = try #require(hashing.min())
            // The shortest of several times, since other tests run on the same cores. A failure without a hash would take
            // a tenth of it.
            #expect(shortest.count == 4 && shortest.values.allSatisfy { $0 > least * 0.4 }, "\(shortest), \(least)")
        }
    }

    /// The same row: checking a hash of an older kind takes longer than checking one of the current kind, or none.
    @Test func `a failure takes at least the configured time, whatever the kind of the stored hash`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            try await accounts.add("paul@exemple.fr", hash: "crypt('\(TestAccounts.password)', gen_salt('bf', 9))")
            let failureTime = Duration.seconds(2)
            try await accounts.withAnotherInstance(failureTime: failureTime) { service in
                try await withThrowingTaskGroup { group in
                    for email in ["anne", "paul", "personne"] {
                        group.addTask {
                            let start = ContinuousClock.now
                            let wait = try await accounts.wait("\(email)@exemple.fr", "faux", by: service)
                            #expect(wait == nil && ContinuousClock.now - start >= failureTime, "\(email)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    /// security.md: "refresh token | opaque, 256 bits, stored hashed".
    @Test func `the database stores neither the refresh token nor its secret`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let signedIn = try await accounts.login("anne@exemple.fr")
            let stored = try await accounts.psql("SELECT encode(refresh_hash, 'hex') || s::text FROM sign_ins s")
            let secret = try #require(RefreshToken(signedIn.refreshToken)).secret
            #expect(secret.count * 8 == 256)
            #expect(!stored.contains(signedIn.refreshToken))
            #expect(!stored.contains(secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()))
        }
    }

    @Test func `a login deletes places and sign-ins that are long out of date`() async throws {
        try await TestAccounts.with { accounts in
            let anne = try await accounts.add("anne@exemple.fr")
            let paul = try await accounts.add("paul@exemple.fr")
            try await accounts.psql(
                """
                INSERT INTO known_places SELECT \(anne), 'ici' || d, now() - make_interval(days => d)
                FROM unnest(ARRAY[10, 100]) d;
                INSERT INTO sign_ins (user_id, refresh_hash, created_at, ended_at)
                SELECT u, ''::bytea, now() - make_interval(days => d), CASE WHEN e THEN now() - make_interval(days => d) END
                FROM unnest(ARRAY[\(anne), \(paul)]) u, unnest(ARRAY[10, 80, 170, 190]) d, unnest(ARRAY[true, false]) e
                """)
            #expect(try await accounts.wait("anne@exemple.fr", "faux", from: "192.0.2.1") == nil)
            #expect(try await accounts.psql("SELECT count(*) FROM sign_ins") == "16")
            #expect(try await accounts.wait("anne@exemple.fr", TestAccounts.password, from: "192.0.2.1") == nil)
            #expect(
                try await accounts.psql("SELECT string_agg(network, ' ' ORDER BY network) FROM known_places")
                    == "192.0.2.1 ici10")
            let left = """
                SELECT string_agg(extract(day FROM now() - created_at) || CASE WHEN ended_at IS NULL THEN '' ELSE 'e' END,
                    ' ' ORDER BY created_at DESC, ended_at) FROM sign_ins WHERE user_id =
                """
            #expect(try await accounts.psql("\(left) \(anne)") == "0 10e 10 80e 80 170")
            #expect(try await accounts.psql("\(left) \(paul)") == "10e 10 80e 80 170 190")
        }
    }

    /// security.md: "a bounded queue behind (429 past it)".
    @Test func `a login that finds the hashing queue full fails with busy`() async throws {
        let threads = HashingThreadPool(maxThreads: 1, maxWaiting: 0)
        try await TestAccounts.with(passwords: PasswordHasher(threads: threads)) { accounts in
            try await accounts.add("anne@exemple.fr")
            let gate = BlockingGate()
            let hold = Task { try await threads.run(for: .stranger(network: nil)) { gate.enter() } }
            try await eventually { gate.waiting == 1 }
            await #expect {
                _ = try await accounts.login("anne@exemple.fr")
            } throws: { error in
                if case AuthError.busy(retryAfter: 1) = error { true } else { false }
            }
            gate.open()
            try await hold.value
            try await eventually { threads.load == (0, 0) }
            #expect(try await accounts.login("anne@exemple.fr").user.role == "user")
        }
    }

    @Test func `ten failures make the next attempt wait, whether the account exists or not`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            for email in ["anne@exemple.fr", "personne@exemple.fr"] {
                for _ in 1...10 {
                    await #expect(throws: AuthError.self) { try await accounts.login(email, "faux") }
                }
                #expect(try await accounts.pause(of: email) == "1")
                try await accounts.stretch()
                await #expect {
                    _ = try await accounts.login(email)
                } throws: { error in
                    if case AuthError.busy = error { true } else { false }
                }
            }
            try await accounts.age(attemptsBy: "2 hours 1 second")
            #expect(try await accounts.login("anne@exemple.fr").user.role == "user")
        }
    }

    @Test
    func `a header without a bearer scheme counts as missing, one with a malformed token as invalid`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let token = try await accounts.login("anne@exemple.fr").accessToken
            for (header, expected) in [
                (nil, TokenError.missing), ("Basic YTpi", .missing), (token, .missing), ("", .missing),
                ("Bearer", .invalid), ("Bearer ", .invalid), ("Bearer x", .invalid),
            ] {
                #expect(throws: expected) {
                    try accounts.service.authenticator.authenticateLocally(authorization: header)
                }
            }
            #expect(throws: Never.self) {
                try accounts.service.authenticator.authenticateLocally(authorization: "bearer " + token)
            }
            // The second call finds the token in the cache, where it expires too.
            #expect(throws: Never.self) {
                try accounts.service.authenticator.authenticateLocally(authorization: "bearer " + token)
            }
            accounts.clock.advance(930)
            #expect(throws: TokenError.expired) {
                try accounts.service.authenticator.authenticateLocally(authorization: "bearer " + token)
            }
        }
    }
}
