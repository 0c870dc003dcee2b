import DomainKit
import Testing

@testable import RPCServer

@Suite struct DuplicatedFileTests {
    /// Serves pictures with a column that names files.
    private func serve(isDuplicable: Bool, _ access: Column.Access = .readWrite) async throws {
        let rule = FileRule([.png], maxBytes: 1_000)
        let pictures = Entity(
            name: "pictures", noun: Noun("image", plural: "images", feminine: true),
            columns: [.id, Column("scan", .bigint, access: access, file: rule, summary: "")], search: nil,
            defaultOrder: [OrderTerm("id")],
            access: Access(read: [.admin], create: [.admin], update: [], delete: []), isDuplicable: isDuplicable)
        _ = try await Bookshop.service(Domain(name: "gallery", entities: [pictures]))
    }

    @Test func `an entity with a column that names files is not duplicable, unless the column is not copied`()
        async throws
    {
        for access in [Column.Access.readWrite, .readOnly] {
            let error = RPCService.SetupError.duplicatedFile(column: "scan", entity: "pictures")
            await #expect(throws: error) { try await serve(isDuplicable: true, access) }
        }
        try await serve(isDuplicable: true, .writeOnly)
        try await serve(isDuplicable: false)
    }
}
