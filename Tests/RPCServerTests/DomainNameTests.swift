import DomainKit
import Testing

@testable import RPCServer

@Suite struct DomainNameTests {
    @Test func `two domains cannot have an entity of the same name`() async throws {
        let other = Domain(name: "library", entities: Bookshop.domain.entities.filter { $0.name == "books" })
        await #expect(throws: RPCService.SetupError.duplicateEntity("books", domains: ["bookshop", "library"])) {
            try await Bookshop.service(other)
        }
    }
}
