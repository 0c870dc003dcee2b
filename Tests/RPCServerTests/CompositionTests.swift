import Documents
import DomainKit
import JSON
import Outbox
import QueryCompiler
import Testing

@testable import RPCServer

/// A service is composed of a list of capabilities. What a domain declares for one that is not in the list is a mistake at start.
@Suite struct CompositionTests {
    private static func domain(_ part: DomainPart?) -> Domain {
        let leaflets = Entity(
            name: "leaflets", noun: Noun("feuillet", plural: "feuillets", feminine: false), columns: [.id], search: nil,
            defaultOrder: [OrderTerm("id")], access: Access(read: [.user, .admin], create: [], update: [], delete: []))
        let sheet = LoadedMethod(
            name: "sheet", entity: "leaflets", summary: "Une feuille.", parameters: [], loads: [.record("{ id }")],
            document: .csv, fileName: { _, _ in "feuille.csv" }, render: { _, _ in DocumentContent([]) })
        let notice = Notice(name: "leaflets.printed", entity: "leaflets", loads: [.record("{ id }")]) { _ in [] }
        return Domain(
            name: "press", entities: [leaflets], methods: part == .documents ? [sheet] : [],
            notices: part == .notices ? [notice] : [])
    }

    @Test(arguments: [DomainPart.documents, .notices])
    func `what a domain declares and no capability serves is a mistake at start`(part: DomainPart) async throws {
        let kernel = try await Bookshop.kernel(Self.domain(part))
        #expect(throws: RPCService.SetupError.unserved(part, domain: "press")) {
            try RPCService(kernel, version: "1.0.0", [])
        }
        let service = try RPCService(
            kernel, version: "1.0.0", [Documents(kernel).capability(opening: []), Notices(kernel).capability])
        #expect(service.methods.methods.contains { $0.name == "leaflets.sheet" } == (part == .documents))
    }

    @Test func `a service without capabilities has what follows from the domains`() async throws {
        let kernel = try await Bookshop.kernel(Self.domain(nil))
        let service = try RPCService(kernel, version: "1.0.0", [])
        let names = service.methods.methods.map(\.name)
        #expect(names.contains("leaflets.list"))
        #expect(names.suffix(2) == ["transaction.run", "rpc.discover"])
        #expect(service.endpoints.count == 1)
    }

    @Test func `two notices of one name are a mistake at start`() async throws {
        let kernel = try await Bookshop.kernel(Self.domain(.notices))
        let further = try Notices(kernel).byName.values
        #expect(throws: RPCService.SetupError.duplicateNotice("leaflets.printed")) {
            try Notices(kernel, and: Array(further))
        }
    }
}
