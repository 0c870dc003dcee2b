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
        list.set(suspended: [3], asOf: before)
        list.set(true, of: 2)
        list.set(false, of: 3)
        list.set(suspended: [3], asOf: before)
        #expect(list.isSuspended(2))
        #expect(!list.isSuspended(3))
        list.set(suspended: [3], asOf: .now)
        #expect(!list.isSuspended(2))
        #expect(list.isSuspended(3))
        // Of two questions the earlier one may be answered last.
        list.set(suspended: [], asOf: before)
        #expect(list.isSuspended(3))
        #expect(told.withLock { $0 } == [.company(3), .company(2), .company(3)])
    }

    /// The query that confirms a sign-in says it of one company.
    @Test func `an answer about one company counts until a later question is answered`() {
        let list = RevocationList(clock: { 1_800_000_000 })
        let start = ContinuousClock.now
        func at(_ second: Int) -> ContinuousClock.Instant { start + .seconds(second) }
        list.set(true, of: 2, asOf: at(2))
        #expect(list.isSuspended(2))
        // Both were asked before.
        list.set(false, of: 2, asOf: at(1))
        list.set(suspended: [], asOf: at(1))
        #expect(list.isSuspended(2))
        list.set(suspended: [3], asOf: at(3))
        #expect(!list.isSuspended(2) && list.isSuspended(3))
        list.set(true, of: 2, asOf: at(2))
        #expect(!list.isSuspended(2))
        list.set(false, of: 3, asOf: at(4))
        #expect(!list.isSuspended(3))
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
                #expect(try await !other.isSuspended(1))
                #expect(other.isStillValid(anne.user, authorization: authorization))
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = now()")
                try await eventually { try await other.isSuspended(1) }
                try await eventually { !other.isStillValid(anne.user, authorization: authorization) }
                // The token is as good as before.
                #expect(try await accounts.rejection(of: anne, by: other) == nil)
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = NULL")
                try await eventually { try await !other.isSuspended(1) }
                following.cancel()
                await following.value
                // Nothing is announced to an instance that does not listen any more: it asks.
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = now()")
                #expect(try await other.isSuspended(1))
                // What confirms the sign-in says it, too.
                let confirmed = try await other.authenticate(authorization: authorization)
                #expect(other.isSuspended(confirmed))
                try await accounts.psql("UPDATE kernel.companies SET suspended_at = NULL")
                #expect(other.isSuspended(confirmed))
                #expect(try await !other.isSuspended(other.authenticate(authorization: authorization)))
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
            #expect(companies.companies.map(\.isSuspended) == [true, false])
            #expect(!companies.isOperator)
            try await accounts.psql("UPDATE kernel.accounts SET is_operator = true")
            #expect(try await accounts.service.companies(of: signedIn.user.accountID).isOperator)
            #expect(try await !accounts.service.companies(of: signedIn.user.accountID, key: 1).isOperator)
            try await accounts.psql("UPDATE kernel.companies SET suspended_at = now()")
            #expect(try await accounts.login("anne@exemple.fr").user.company == 2)
        }
    }
}
