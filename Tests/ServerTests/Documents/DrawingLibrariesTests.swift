import Foundation
import JSON
import TestPostgres
import Testing

/// operations.md, "PDF documents".
@Suite struct DrawingLibrariesTests {
    @Test func `the server loads neither the libraries of PDF documents, which other processes draw, nor Foundation`()
        async throws
    {
        let server = try await TestServer.start(database: try await TestDatabase.create(migrated: true))
        let process = try #require(server.process.pid)
        // The file gives a part of itself to each read, so it is read to its end.
        let loaded = {
            let maps = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/maps"))
            return String(decoding: try maps.readToEnd() ?? Data(), as: UTF8.self)
        }
        let client = try await server.client()
        let link = try await client.call("sessions.liste", ["du": "2031-01-01", "au": "2031-01-02"])
        #expect(try await server.open(link).body.starts(with: Array("%PDF".utf8)))
        let after = try loaded()
        for library in ["libcairo.", "libpango", "librsvg", "libglib", "libFoundation.so", "lib_FoundationICU"] {
            #expect(!after.contains(library), "\(library)")
        }
        #expect(try await server.stop() == 0)
    }
}
