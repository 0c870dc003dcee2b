import TestPostgres
import TestSupport
import Testing

@testable import Auth

/// Documents that links open are counted in memory, and written every few seconds.
struct DocumentCountsTests {
    private static let usage = """
        SELECT string_agg(company_id || ' ' || day || ' ' || documents, ', ' ORDER BY company_id, day) FROM kernel.usage
        """

    @Test func `what was counted is added to the days on which it was, and written once`() async throws {
        try await TestAccounts.with { accounts in
            try await accounts.psql("INSERT INTO kernel.companies (name) VALUES ('Digue')")
            let counts = DocumentCounts(clock: { 1_780_263_000 })
            // At half past eleven in the evening, in Paris.
            for company in [2, 1, 2] as [Int64] { counts.note(company) }
            accounts.service.documentCounts.giveBack(counts.take())
            #expect(counts.take().isEmpty)
            let later = DocumentCounts(clock: { 1_780_265_700 })
            // The company 9 is gone.
            for company in [2, 9] as [Int64] { later.note(company) }
            accounts.service.documentCounts.giveBack(later.take())
            for _ in 1...2 { await accounts.service.writeDocuments() }
            #expect(try await accounts.psql(Self.usage) == "1 2026-05-31 1, 2 2026-05-31 2, 2 2026-06-01 1")
            accounts.service.documentCounts.giveBack([.init(company: 1, quarter: 1_780_263_000 / 900): 3])
            await accounts.service.writeDocuments()
            #expect(try await accounts.psql(Self.usage) == "1 2026-05-31 4, 2 2026-05-31 2, 2 2026-06-01 1")
        }
    }

    @Test func `what cannot be written is written later, and what is left when the server stops`() async throws {
        try await TestAccounts.with { accounts in
            let service = accounts.service
            try await accounts.psql("ALTER TABLE kernel.usage RENAME TO gone")
            service.noteDocument(of: 1)
            await service.writeDocuments()
            try await accounts.psql("ALTER TABLE kernel.gone RENAME TO usage")
            let following = Task { await service.followDocuments(every: .seconds(3_600)) }
            service.noteDocument(of: 1)
            following.cancel()
            await following.value
            #expect(try await accounts.psql("SELECT sum(documents) FROM kernel.usage") == "2")
        }
    }
}
