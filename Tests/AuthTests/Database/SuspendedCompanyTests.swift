import Synchronization
import TestPostgres
import TestSupport
import Testing

@testable import Auth

/// companies.md: "suspended: 403 `suspended`, nothing lost", on every instance within a second.
struct SuspendedCompanyTests {
    @Test func `a query that began before a change of this instance does not undo it`() {
        let signal = WithdrawalSignal()
        let told = Mutex<[Withdrawal]>([])
        signal.observe { withdrawal in told.withLock { $0.append(withdrawal) } }
        let list = RevocationList(withdrawals: signal, clock: { 1_800_000_000 })
        let before = ContinuousClock.now
        list.set(closed: [3: .suspended], asOf: before)
        list.set(.suspended, of: 2)
        list.set(nil, of: 3)
        list.set(closed: [3: .suspended], asOf: before)
        #expect(list.closure(of: 2) == .suspended)
        #expect(list.closure(of: 3) == nil)
        list.set(closed: [3: .suspended], asOf: .now)
        #expect(list.closure(of: 2) == nil)
        #expect(list.closure(of: 3) == .suspended)
        // Of two questions the earlier one may be answered last.
        list.set(closed: [:], asOf: before)
        #expect(list.closure(of: 3) == .suspended)
        #expect(told.withLock { $0 } == [.company(3), .company(2), .company(3)])
    }

    /// The query that confirms a sign-in says it of one company.
    @Test func `an answer about one company counts until a later question is answered`() {
        let list = RevocationList(clock: { 1_800_000_000 })
        let start = ContinuousClock.now
        func at(_ second: Int) -> ContinuousClock.Instant { start + .seconds(second) }
        list.set(.suspended, of: 2, asOf: at(2))
        #expect(list.closure(of: 2) == .suspended)
        // Both were asked before.
        list.set(nil, of: 2, asOf: at(1))
        list.set(closed: [:], asOf: at(1))
        #expect(list.closure(of: 2) == .suspended)
        list.set(closed: [3: .suspended], asOf: at(3))
        #expect(list.closure(of: 2) == nil && list.closure(of: 3) == .suspended)
        list.set(.suspended, of: 2, asOf: at(2))
        #expect(list.closure(of: 2) == nil)
        list.set(nil, of: 3, asOf: at(4))
        #expect(list.closure(of: 3) == nil)
    }

    @Test func `a company that has moved is known with its place, whether it was suspended before or not`() {
        let signal = WithdrawalSignal()
        let told = Mutex<[Withdrawal]>([])
        signal.observe { withdrawal in told.withLock { $0.append(withdrawal) } }
        let list = RevocationList(withdrawals: signal, clock: { 1_800_000_000 })
        let place = CompanyClosure.moved(to: "https://ailleurs.exemple.fr")
        list.set(closed: [2: .suspended, 3: place], asOf: .now)
        list.set(closed: [2: place, 3: place], asOf: .now)
        #expect(list.closure(of: 2) == place && list.closure(of: 3) == place)
        // What went on in a company has ended with the first of both.
        #expect(Set(told.withLock { $0.map(String.init(describing:)) }).count == 2 && told.withLock { $0.count } == 2)
    }

    @Test func `an instance learns of a company that is suspended and resumed elsewhere, and ends what goes on in it`()
        async throws
    {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            let anne = try await accounts.login("anne@exemple.fr")
            try await accounts.withAnotherInstance { other in
                let following = Task { await other.feed.follow(every: .seconds(3_600)) }
                try await eventually { other.feed.isCurrent }
                let authorization = "Bearer " + anne.accessToken
                #expect(try await other.closure(of: 1) == nil)
                #expect(other.isStillValid(anne.user, authorization: authorization))
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = now()")
                try await eventually { try await other.closure(of: 1) == .suspended }
                try await eventually { !other.isStillValid(anne.user, authorization: authorization) }
                // The token is as good as before.
                #expect(try await accounts.rejection(of: anne, by: other) == nil)
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = NULL")
                try await eventually { try await other.closure(of: 1) == nil }
                following.cancel()
                await following.value
                // Nothing is announced to an instance that does not listen any more: it asks.
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = now()")
                #expect(try await other.closure(of: 1) == .suspended)
                // What confirms the sign-in says it, too.
                let confirmed = try await other.authenticate(authorization: authorization)
                #expect(other.closure(for: confirmed) == .suspended)
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = NULL")
                #expect(other.closure(for: confirmed) == .suspended)
                #expect(try await other.closure(for: other.authenticate(authorization: authorization)) == nil)
            }
        }
    }

    @Test func `who names no company enters one that is not suspended`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.add("anne@exemple.fr")
            try await accounts.psql(
                """
                UPDATE kernel.companies SET name = 'Port';
                INSERT INTO kernel.companies (name, suspended_at) VALUES ('Digue', now());
                BEGIN;
                SET LOCAL learntrack.company = '2';
                INSERT INTO users (email) VALUES ('anne@exemple.fr');
                COMMIT;
                """)
            let signedIn = try await accounts.login("anne@exemple.fr")
            #expect(signedIn.user.company == 1)
            let companies = try await accounts.service.companies(of: signedIn.user.accountID)
            #expect(companies.companies.map(\.closure) == [.suspended, nil])
            #expect(!companies.isOperator)
            try await accounts.psql("UPDATE kernel.accounts SET is_operator = true")
            #expect(try await accounts.service.companies(of: signedIn.user.accountID).isOperator)
            #expect(try await !accounts.service.companies(of: signedIn.user.accountID, key: 1).isOperator)
            try await accounts.psql("UPDATE kernel.companies SET suspended_at = now()")
            #expect(try await accounts.login("anne@exemple.fr").user.company == 2)
        }
    }
}
